using Opossum.FileSystem;
using Opossum.Storage.Folders;

namespace Opossum.Testing.Simulated;

/// <summary>
/// A local or a server's disk in memory: what programs see of it, and what is on the medium. Each attached client is one process on its own
/// machine. One gate serialises all operations.
/// </summary>
internal sealed class SimulatedDisk(VolumeKind kind = VolumeKind.Ext4, TimeProvider? clock = null)
{
    private const int RangesMax = 256;

    private readonly Lock gate = new();
    private readonly List<SimulatedFileSystem> clients = [];
    private readonly List<Fault> faults = [];
    private readonly HashSet<FileInode> changedFiles = [];
    private readonly HashSet<FileInode> filesWithDevice = [];
    private long time;
    private long rangesEnd;
    private long nextRange;
    private int? operationsLeft;
    private double? shareOfCutOperation;

    public VolumeKind Kind { get; } = kind;

    /// <summary>The properties that clients see. Tests may set false ones.</summary>
    public Volume Volume { get; set; } = SimulatedVolume.Of(kind);

    /// <summary>The clock. With a <see cref="SimulatedClock"/> pauses take no real time.</summary>
    public TimeProvider Clock { get; } = clock ?? TimeProvider.System;

    /// <summary>
    /// How far each operation moves the clock: a round trip to a server. 0, the default: not at all. No effect on a clock that moves by itself.
    /// </summary>
    public TimeSpan OperationTime { get; set; }

    /// <summary>The number of bytes that all files together may have before writes and creations fail; null for no limit.</summary>
    public long? Capacity { get; set; }

    /// <summary>The block size in which files take space, in bytes. Set it before creating files.</summary>
    public int BlockBytes { get; set; } = 1;

    /// <summary>The bytes of all files in whole blocks, including files without a name that are still open.</summary>
    public long UsedBytes { get; private set; }

    /// <summary>The number of dirty bytes that clients see.</summary>
    public long DirtyBytes { get; set; }

    /// <summary>The number of positions in the folders of event files of the stores on it, for tests that open them.</summary>
    public int ShardPositions { get; set; } = StoreLayout.ShardPositionsDefault;

    public LockReach LockReach { get; set; }

    /// <summary>Whether clients can see that other machines do not know of their locks.</summary>
    public bool LocksStayHere { get; set; }

    /// <summary>Whether read operations count too, for <see cref="CutAfter"/> and similar methods.</summary>
    public bool CountsReads { get; set; }

    /// <summary>The number of operations so far that change, flush, lock or unlock something.</summary>
    public int OperationCount { get; private set; }

    /// <summary>Collects every operation, when set to a list.</summary>
    public List<SimulatedOperation>? Trace { get; set; }

    /// <summary>The files that were kept from users who may not write them. A simulated disk has no users.</summary>
    public HashSet<string> DeniedToReaders { get; } = new(StringComparer.Ordinal);

    /// <summary>
    /// Selects flushes that the disk reports as done without doing them, like a disk or file system that breaks its promise. Bytes that clients have
    /// written still reach it. Null for none.
    /// </summary>
    public Predicate<SimulatedOperation>? Skips { get; set; }

    /// <summary>
    /// Whether programs live on after a power cut: then they see that the folder is gone, instead of a <see cref="PowerCutException"/>.
    /// </summary>
    public bool ProgramsOutliveCuts { get; init; }

    public bool IsOff { get; private set; }

    internal FolderInode Root { get; } = new();

    internal NameJournal Journal { get; } = new(kind);

    public StoreLayout LayoutOf(string root) => new(root, ShardPositions);

    /// <summary>Attaches a client whose cached names, listings, lengths and bytes may be out of date by up to the staleness.</summary>
    public SimulatedFileSystem Attach(TimeSpan staleness = default)
    {
        lock (gate)
        {
            var client = new SimulatedFileSystem(this, staleness);
            clients.Add(client);
            return client;
        }
    }

    /// <summary>Cuts the power now: every later operation of every client throws <see cref="PowerCutException"/>.</summary>
    public void Cut()
    {
        lock (gate)
            IsOff = true;
    }

    /// <summary>Cuts the power after the given number of further operations.</summary>
    public void CutAfter(int operations)
    {
        lock (gate)
        {
            operationsLeft = operations;
            shareOfCutOperation = null;
            IsOff |= operations == 0;
        }
    }

    /// <summary>
    /// Cuts the power during an operation; the next one is 1. The given share (0 to 1) of a write arrives; any other operation does
    /// nothing.
    /// </summary>
    public void CutDuring(int operation, double arrivingShare = 0.5)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(operation, 1);
        lock (gate)
        {
            operationsLeft = operation;
            shareOfCutOperation = arrivingShare;
        }
    }

    /// <summary>Returns the disk as a power cut now could leave it. This disk does not change, so one run can give many.</summary>
    public SimulatedDisk AfterPowerCut(PowerCut cut) => After(cut, Clock);

    /// <summary>Returns a disk with the same content, all of it durable, and a clock of its own: a start that several runs can have.</summary>
    public SimulatedDisk Copy() =>
        After(new PowerCut(PowerCutMode.KeepsAll), Clock is SimulatedClock clock ? clock.Copy() : Clock);

    public Fault Fail(Fault fault)
    {
        lock (gate)
        {
            faults.Add(fault);
            return fault;
        }
    }

    public Fault FailNext(OperationKind operation) => Fail(new Fault { When = candidate => candidate.Kind == operation });

    public void Mend()
    {
        lock (gate)
            faults.Clear();
    }

    /// <summary>Enters the gate and counts the operation. Throws the operation's fault, except for writes and flushes, which fail midway.</summary>
    internal Turn Begin(scoped in SimulatedOperation operation)
    {
        gate.Enter();
        try
        {
            ThrowIfDead(operation);
            Trace?.Add(operation);
            SendWhatIsDue();
            var turn = new Turn(this, operation, FindFailure(operation), operation.IsFlush && Skips?.Invoke(operation) == true);
            if (operation.Kind is not (OperationKind.Write or OperationKind.Flush or OperationKind.FlushRange or OperationKind.FlushWhole))
                turn.ThrowIfFailed();

            return turn;
        }
        catch
        {
            End(operation.Client);
            throw;
        }
    }

    internal void End(SimulatedFileSystem client)
    {
        client.ReleaseIfKilled();
        gate.Exit();
    }

    /// <summary>Lets all bytes that clients have written and not sent arrive, as after some time.</summary>
    public void SendHeldBack()
    {
        using var scope = EnterGate();
        clients.ForEach(static client => client.HeldBack.SendAll());
    }

    internal Lock.Scope EnterGate() => gate.EnterScope();

    private void ThrowIfDead(in SimulatedOperation operation)
    {
        if (IsOff)
        {
            throw ProgramsOutliveCuts
                ? new FileSystemException(FileError.Moved, operation.Kind.ToString(), operation.Path, PowerCutException.Text)
                : new PowerCutException();
        }

        if (operation.Client.IsKilled)
            throw new ProcessKilledException();
    }

    internal void Link(Inode inode, FolderInode folder, string name) => Rename(inode, null, "", folder, name);

    internal void Unlink(Inode inode, FolderInode folder, string name) => Rename(inode, folder, name, null, "");

    internal void Move(Inode inode, FolderInode fromFolder, string from, FolderInode toFolder, string to)
    {
        if (Kind is VolumeKind.Posix or VolumeKind.Fuse && fromFolder != toFolder)
        {
            // Two folders, two flushes: a power cut may leave both names or none.
            Link(inode, toFolder, to);
            Unlink(inode, fromFolder, from);
        }
        else
        {
            Rename(inode, fromFolder, from, toFolder, to);
        }
    }

    internal void Changed(FileInode file)
    {
        file.LastChange = ++time;
        changedFiles.Add(file);
    }

    /// <summary>Takes the space for a write; returns how many of its bytes fit.</summary>
    internal int TakeRoom(FileInode file, long offset, int count)
    {
        var growth = Math.Max(0, RoomOf(offset + count) - RoomOf(file.Length));
        var granted = Math.Min(growth, Math.Max(0, (Capacity ?? long.MaxValue) - UsedBytes) / BlockBytes * BlockBytes);
        UsedBytes += granted;
        return granted == growth ? count : (int)Math.Clamp(RoomOf(file.Length) + granted - offset, 0, count);
    }

    internal void GiveBackRoom(long lengthBefore, long length) => UsedBytes -= RoomOf(lengthBefore) - RoomOf(length);

    /// <summary>Frees a file that has neither a name nor a handle.</summary>
    internal void ReleaseIfUnused(Inode inode)
    {
        if (inode is FileInode { Names: 0, Handles: 0 } file)
        {
            GiveBackRoom(file.Length, 0);
            changedFiles.Remove(file);
            filesWithDevice.Remove(file);
        }
    }

    internal void Flush(FileInode file)
    {
        if (file.IsDirty)
        {
            // Writing back the bytes is itself a change to the file, which the journal must then include.
            Changed(file);
        }

        MakeDurable(file);
        FlushDeviceUpTo(file.LastChange);
        Journal.FlushFile(file);
    }

    /// <summary>
    /// Notes when the journal has that the bytes reached the device: of files written back together, the one begun last the soonest. A flush of it
    /// then covers none of the others, as where another program's flush has closed the journal's transaction in between.
    /// </summary>
    internal void BeginFlushRange(FileInode file)
    {
        if (Kind != VolumeKind.Ext4)
            return;
        if (time != rangesEnd || nextRange == rangesEnd - RangesMax)
            nextRange = rangesEnd = time += RangesMax;
        file.WrittenBack = nextRange--;
    }

    internal void FlushRange(FileInode file)
    {
        if (Kind == VolumeKind.Ext4 && file.IsDirty)
        {
            if (file.WrittenBack > file.LastChange)
                file.LastChange = file.WrittenBack;
            else
                Changed(file);
            file.GiveToDevice();
            filesWithDevice.Add(file);
        }
    }

    internal void FlushFolder(FolderInode folder)
    {
        FlushDeviceUpTo(folder.LastChange);
        Journal.FlushFolder(folder);
    }

    internal void FlushWhole()
    {
        foreach (var file in changedFiles)
            file.MakeDurable();

        changedFiles.Clear();
        filesWithDevice.Clear();
        Journal.FlushWhole();
    }

    internal void Drop(FileInode? file)
    {
        foreach (var each in file is null ? [.. changedFiles] : new List<FileInode> { file })
        {
            each.DropChanges();
            changedFiles.Remove(each);
            filesWithDevice.Remove(each);
        }
    }

    /// <summary>Records that bytes written by a client have reached the server.</summary>
    internal void Arrive(SimulatedFileSystem client, FileInode file, ReadOnlySpan<byte> bytes, long offset)
    {
        if (bytes.IsEmpty || file is { Names: 0, Handles: 0 })
            return;

        var lengthBefore = file.Length;
        file.Write(bytes, offset);
        Changed(file);
        client.Cache.NoteOwnWrite(file, bytes, offset);
        NoteWrite(client, file, (int)offset, (int)offset + bytes.Length, lengthBefore);
        foreach (var other in clients)
        {
            if (other != client)
                other.HeldBack.Send(file);
        }
    }

    /// <summary>Notifies the other clients of a write: an append leaves those that have the file open for writing with zeros.</summary>
    private void NoteWrite(SimulatedFileSystem by, FileInode file, int start, int end, int lengthBefore)
    {
        if (Kind == VolumeKind.Nfs)
        {
            foreach (var client in clients)
                client.Cache.NoteWrite(file, client == by ? start : Math.Max(start, lengthBefore), end, isOwn: client == by);
        }
    }

    internal long RoomOf(long length) => (length + BlockBytes - 1) / BlockBytes * BlockBytes;

    private SimulatedDisk After(PowerCut cut, TimeProvider clock)
    {
        lock (gate)
        {
            var after = new SimulatedDisk(Kind, clock)
            {
                Volume = Volume,
                Capacity = Capacity,
                LockReach = LockReach,
                BlockBytes = BlockBytes,
                ShardPositions = ShardPositions,
                ProgramsOutliveCuts = ProgramsOutliveCuts,
                OperationTime = OperationTime,
            };
            after.UsedBytes = new Aftermath(this, cut).Fill(after.Root);
            return after;
        }
    }

    private void Rename(Inode inode, FolderInode? fromFolder, string from, FolderInode? toFolder, string to)
    {
        time++;
        Journal.Add(new NameChange(time, inode, fromFolder, from, toFolder, to));
        inode.LastChange = time;
        if (fromFolder is not null)
        {
            fromFolder.LastChange = time;
            fromFolder.Entries.Remove(from);
            inode.Names--;
        }

        if (toFolder is not null)
        {
            toFolder.LastChange = time;
            if (toFolder.Entries.TryGetValue(to, out var replaced))
            {
                replaced.Names--;
                ReleaseIfUnused(replaced);
            }

            toFolder.Entries[to] = inode;
            inode.Names++;
            inode.Parent = toFolder;
        }

        ReleaseIfUnused(inode);
    }

    private void SendWhatIsDue()
    {
        foreach (var client in clients)
            client.HeldBack.SendWhatIsDue();
    }

    private void MakeDurable(FileInode file)
    {
        file.MakeDurable();
        changedFiles.Remove(file);
        filesWithDevice.Remove(file);
    }

    private void FlushDeviceUpTo(long committed)
    {
        foreach (var file in filesWithDevice.Where(file => file.LastChange <= committed).ToList())
        {
            filesWithDevice.Remove(file);
            file.MakeDurableWhatIsWithDevice();
            if (file.NewestVersion == 0)
                changedFiles.Remove(file);
        }
    }

    private Failure? FindFailure(in SimulatedOperation operation)
    {
        if (CountsReads || operation.Changes)
        {
            OperationCount++;
            operation.Client.CountOperation();
            if (--operationsLeft == 0)
            {
                // This operation is past the gate and continues; no other will enter.
                IsOff = true;
                if (shareOfCutOperation is { } share)
                    return new Failure(new PowerCutException(), share, DropsDirtyBytes: false);
            }
        }

        foreach (var fault in faults)
        {
            if (fault.When(operation))
            {
                fault.Hits++;
                if (!fault.Lasts)
                    faults.Remove(fault);

                var error = new FileSystemException(fault.Error, operation.Kind.ToString(), operation.Path, "a simulated fault.");
                return new Failure(error, fault.ArrivingShare, fault.DropsDirtyBytes);
            }
        }

        return null;
    }
}
