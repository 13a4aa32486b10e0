using System.Globalization;
using Microsoft.Extensions.Logging.Abstractions;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Backup;

/// <summary>The store that is copied: opened for reading only, up to the last append that is whole and durable.</summary>
internal sealed class BackupSource : IDisposable
{
    private const int MeasuredAtOnce = 1_000;

    private static readonly TimeSpan lockTimeout = TimeSpan.FromSeconds(10);

    private readonly IFileSystem fileSystem;
    private readonly TimeProvider clock;
    private readonly IReadableIndex index;
    private readonly StoreFolder folder;

    private BackupSource(IFileSystem fileSystem, OpenStore store, StoreFile storeFile, TimeProvider clock)
    {
        this.fileSystem = fileSystem;
        this.clock = clock;
        folder = store.Folder;
        StoreFile = storeFile;
        EventFiles = store.EventFiles;
        index = store.Index;
        try
        {
            EventFiles.ThrowIfLogDamaged();
            Head = FindHead();
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public string Root => folder.Root;

    public StoreLayout Layout => folder.Layout;

    public StoreFile StoreFile { get; private set; }

    public EventFiles EventFiles { get; }

    /// <summary>The last position that is copied; an append ends there.</summary>
    public long Head { get; private set; }

    /// <summary>The last position that was seen: it may be after <see cref="Head"/>.</summary>
    public long HeadSeen { get; private set; }

    /// <summary>Whether this user may not read the store's lock file, so that the last append proves only what is before it.</summary>
    public bool IsLockDenied { get; private set; }

    /// <summary>The tag rules by which events are found: a copy has them too, and not what a file says that was changed by hand since.</summary>
    public TagRuleSet Rules => index.TakeView().Rules;

    public IReadOnlyList<IndexRun> Runs => index.Published.Contents.Runs;

    /// <summary>Reads store.json again, which is not there where a disk is no longer mounted, and replica.json.</summary>
    /// <exception cref="StoreOpenException">It is not a store file, or has a newer format.</exception>
    public FolderTerm ReadTerm() => FolderTerm.Read(fileSystem, Layout);

    /// <summary>Why the folder gets no new events any more, because it is a former store, in sentences; null: it is none.</summary>
    public string? FindProblem() => ReadTerm() is { Mark: { } mark } term ? mark.InWords(Root, term.StoreFile) : null;

    /// <summary>Gives store.json, which was written again, durably and under its lock what a copy of the store knows of it.</summary>
    /// <param name="copy">store.json of the copy.</param>
    /// <param name="term">The term of the store.</param>
    /// <exception cref="StoreLockTimeoutException">Another process kept the lock too long.</exception>
    public StoreFile PutBack(StoreFile copy, int term)
    {
        var written = new StoreFolder(fileSystem, Layout);
        using var storeLock = new StoreLock(written, clock);
        using var held = storeLock.Acquire(lockTimeout);
        // Another replica may have put it back meanwhile.
        StoreFile = written.Read() ?? StoreFile;
        if (StoreFile.Term < term && written.FindReplica() is null)
        {
            StoreFile = StoreFile.WithNewRevision() with { Created = copy.Created, Term = term };
            StoreFile.Replace(fileSystem, Layout);
        }
        return StoreFile;
    }

    /// <summary>Learns what has been appended, and become durable, since the last call.</summary>
    /// <exception cref="StoreDamagedException">The last event's file is missing or bad.</exception>
    public void CatchUp() => Head = FindHead();

    /// <summary>The refusal of a former store, whose events must not come among those of the store that took its place.</summary>
    /// <param name="copy">A backup, or a snapshot, of the latter.</param>
    /// <param name="term">Its term.</param>
    public StoreMaintenanceException Superseded(string copy, int term) => new(copy, string.Create(CultureInfo.InvariantCulture,
        $"{copy} is a copy of the store that was promoted in the place of {Root}, in term {term}. Back up that store, or to another folder. ")
            + "Nothing was changed.");

    /// <summary>The number of events after a position and after <see cref="Head"/>: they are not known to be durable.</summary>
    public long NotDurableAfter(long position) => Math.Max(0, HeadSeen - Math.Max(Head, position));

    /// <summary>Whether a person was forgotten after a position.</summary>
    public bool HasForgotten(long after) => index.TakeView().Contents.HasForgottenAfter(after);

    /// <exception cref="StoreOpenException">The folder is not a store, or cannot be read.</exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other, or its events are not there.</exception>
    public static BackupSource Open(IFileSystem fileSystem, StoreLayout layout, TimeProvider clock)
    {
        var root = layout.Root;
        try
        {
            var folder = StoreFolder.OpenExisting(fileSystem, layout, forReading: true);
            var storeFile = folder.Read()!;
            // A store without events has it too, and so do its copies.
            if (!folder.HasEvents)
            {
                throw new StoreDamagedException(layout.Events, 1, $"{root} has lost its folder {StoreLayout.EventsFolderName}, so nothing is copied "
                    + $"from it. Check that its disk or share is there; {StoreCheck.InWords} names the remedy. Nothing was changed.");
            }
            var settings = StoreSettings.ForOneRun(clock) with { ReadOnly = true };
            return new BackupSource(fileSystem, new ReadOnlyOpening(fileSystem, layout, settings, NullLogger.Instance).Open(), storeFile,
                clock);
        }
        catch (FileSystemException e)
        {
            throw new StoreOpenException(e.Path, $"The store in {root} cannot be read. {e.Message} Check that the disk or the share can be reached.",
                e, isTransient: e.Error == FileError.InUse);
        }
    }

    /// <summary>The last position, at most the given one, at which an append ends.</summary>
    /// <exception cref="StoreDamagedException">The event file there is missing or bad.</exception>
    public long EndOfAppend(long position) =>
        position < 1 ? 0 : Read(position).Commit is var commit && commit.Last == position ? position : commit.First - 1;

    /// <summary>Reads the event file of a position.</summary>
    /// <exception cref="StoreDamagedException">It is missing or bad.</exception>
    public StoredEvent Read(long position) => EventFiles.ReadOrThrow(position, $"The event at position {position} cannot be read");

    /// <summary>Reads event files as a copy does, and adds up their bytes.</summary>
    /// <param name="positions">The positions.</param>
    /// <param name="proceed">Called between steps with the number of files read and their total; throws to stop the work.</param>
    /// <exception cref="StoreDamagedException">One is missing or bad.</exception>
    public long Measure(IReadOnlyList<long> positions, Action<long, long> proceed)
    {
        var bytes = 0L;
        for (var done = 0; done < positions.Count; done++)
        {
            if (done % MeasuredAtOnce == 0)
                proceed(done, positions.Count);
            Read(positions[done]);
            bytes += EventFiles.ReadBytes(positions[done])?.Length ?? 0;
        }
        return bytes;
    }

    /// <summary>The report of a dry run that would copy everything up to a position into an empty folder.</summary>
    public BackupReport Plan(string target, long last, Action<long, long> proceed)
    {
        List<long> positions = [];
        for (var position = 1L; position <= last; position++)
            positions.Add(position);
        return new BackupReport
        {
            Target = target,
            StoreId = StoreFile.Id,
            Head = last,
            NotDurable = NotDurableAfter(last),
            IsLockDenied = IsLockDenied,
            Copied = last,
            Mended = 0,
            Bytes = Measure(positions, proceed),
            IsDryRun = true,
        };
    }

    public void Dispose()
    {
        index.Dispose();
        EventFiles.Dispose();
    }

    private long FindHead()
    {
        var head = HeadSeen = index.TakeView().Contents.Head;
        // Order matters: read before the head, the note would not count events appended without flushing since, and the
        // backup could have events that a power cut takes from the store.
        var files = StoreLock.ReadFiles(fileSystem, Layout.LockFile);
        IsLockDenied = files == FilesNote.Denied;
        var durable = IsLockDenied ? ProvenDurable(head) : FilesNote.Durable(files) ?? head;
        return Math.Min(head, durable) is var last && last == Head ? last : EndOfAppend(last);
    }

    // What the last event says of those before it. A backup and a replica show only what is durable there.
    private long ProvenDurable(long head) =>
        head == 0 || folder.IsBackup || ReadTerm() is { Replica: not null, Mark: null }
            ? head
            : Read(head).Commit.After;
}
