using Opossum.FileSystem;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;

namespace Opossum.Testing;

/// <summary>
/// A disk in memory whose faults a test chooses: it fills up, a flush fails, another process holds the store's lock, it is slow, or the power
/// fails. The store on it is the real engine. Bytes that were not flushed are not on the medium, as on a real disk.
/// </summary>
/// <remarks>Waiting takes no real time: a pause of the store moves <see cref="Clock"/>.</remarks>
/// <example><code>
/// var disk = new TestDisk();
/// await using var store = disk.Open(options);
/// disk.FillUp();
/// await Assert.ThrowsAsync&lt;StoreIOException&gt;(() =&gt; app.SubscribeAsync("c1", "ada"));
/// </code></example>
public sealed class TestDisk
{
    private const string Root = "/store";

    private readonly SimulatedDisk disk;
    private readonly IMasterKey masterKey;
    private bool failsReads;

    /// <summary>Creates an empty disk.</summary>
    /// <param name="clock">The clock of its stores. Null, the default: a new one.</param>
    /// <param name="isShare">Whether it is a server's, as under Windows shares (SMB). Default: false, a local disk.</param>
    public TestDisk(TestClock? clock = null, bool isShare = false)
    {
        Clock = clock ?? new TestClock();
        disk = new SimulatedDisk(isShare ? VolumeKind.Smb : VolumeKind.Ext4, Clock) { BlockBytes = 4096, ProgramsOutliveCuts = true };
        masterKey = MasterKey.Create();
    }

    private TestDisk(TestClock clock, SimulatedDisk disk, IMasterKey masterKey)
    {
        Clock = clock;
        this.disk = disk;
        this.masterKey = masterKey;
    }

    /// <summary>The clock of the stores on this disk.</summary>
    public TestClock Clock { get; }

    /// <summary>How far each operation on the disk moves the clock, as a round trip to a slow server does. Default: 0.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public TimeSpan OperationTime
    {
        get => disk.OperationTime;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            disk.OperationTime = value;
        }
    }

    /// <summary>
    /// Opens the store on this disk, as another process would: the first call creates it, and several stores may be open at once. Personal data is
    /// encrypted with the disk's own master key, unless the options have one.
    /// </summary>
    /// <param name="options">
    /// The options; <see cref="OpossumOptions.Path"/> is ignored, and the clock is <see cref="Clock"/>. Null, the default: default options.
    /// </param>
    /// <exception cref="ArgumentException">An option is not allowed; the message names it.</exception>
    /// <exception cref="StoreOpenException">The disk has a fault that prevents the opening.</exception>
    public FileSystemEventStore Open(OpossumOptions? options = null)
    {
        options = TestOptions.Of(options, masterKey);
        options.TimeProvider = Clock;
        return FileSystemEventStore.Open(options, disk.Attach(), Root, isInMemory: true);
    }

    /// <summary>
    /// Fills the disk: what needs more space fails until <see cref="MakeSpace"/>. With a journal, appends fail only when their lines no longer fit into
    /// the space that is reserved for them.
    /// </summary>
    public void FillUp() => disk.Capacity = disk.UsedBytes;

    /// <summary>Ends the effect of <see cref="FillUp"/>.</summary>
    public void MakeSpace() => disk.Capacity = null;

    /// <summary>
    /// Lets the next flush fail. The bytes that it should have flushed are lost in a power cut, even if a later flush succeeds, as under Linux.
    /// </summary>
    public void FailNextFlush() => disk.Fail(new Fault { When = static operation => operation.IsFlush, DropsDirtyBytes = true });

    /// <summary>Lets every read of a file fail until <see cref="Mend"/>.</summary>
    public void FailReads()
    {
        failsReads = true;
        disk.Fail(new Fault { When = static operation => operation.Kind is OperationKind.Read or OperationKind.ReadPastCache, Lasts = true });
    }

    /// <summary>Removes all faults, and makes space. Stores that a failed flush has faulted must be opened again.</summary>
    public void Mend()
    {
        failsReads = false;
        disk.Mend();
        MakeSpace();
    }

    /// <summary>Holds the store's lock as another process does, until the result is disposed.</summary>
    /// <exception cref="InvalidOperationException">There is no store on the disk yet, or an append holds the lock at this moment.</exception>
    public IDisposable HoldLock()
    {
        var file = disk.Attach().Open(new StoreLayout(Root).LockFile, FileOpening.Lock)
            ?? throw new InvalidOperationException($"There is no store on the disk yet. Call {nameof(Open)} first.");
        if (file.TryLock(StoreLayout.LockOffset))
            return file;
        file.Dispose();
        throw new InvalidOperationException("The store's lock is held already.");
    }

    /// <summary>
    /// Cuts the power: in the open stores, appends throw a <see cref="StoreFaultedException"/> and reads a <see cref="StoreIOException"/> from now on;
    /// disposing them does not throw. The returned disk is this one after the power is back, as full, as slow and as unreadable as before; open the
    /// store on it again.
    /// </summary>
    /// <param name="seed">
    /// Which of the changes that were not flushed survive. 0, the default: none. Other values choose at random, and the same value chooses the
    /// same.
    /// </param>
    public TestDisk CutPower(int seed = 0)
    {
        disk.Cut();
        var after = disk.AfterPowerCut(new PowerCut(seed == 0 ? PowerCutMode.LosesAll : PowerCutMode.Random, seed));
        var next = new TestDisk(Clock, after, masterKey);
        if (failsReads)
            next.FailReads();
        return next;
    }
}
