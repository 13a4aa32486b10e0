using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Proof;

/// <summary>Keeps the tree of an open store up to date and writes checkpoints, in the background. A failure is logged; appends continue.</summary>
internal sealed class ProofKeeper : IDisposable
{
    // Their flush takes some of the disk's time from the appends beside it, so several tiles are written at once.
    private const int EventsAtOnce = 16 * Tile.Width;

    private static readonly TimeSpan firstAfter = TimeSpan.FromSeconds(10);

    private readonly StoreFolder folder;
    private readonly IReadableIndex index;
    private readonly TileFiles files;
    private readonly EventTree tree;
    private readonly Action<long> makeDurable;
    private readonly ProofKey? key;
    private readonly string[] witnesses;
    private readonly TimeProvider clock;
    private readonly ILogger logger;
    private readonly TimeSpan interval;
    private readonly ITimer timer;
    private readonly EndableWork work;
    private volatile ProofStatus known;
    private long begun;
    private long checkpointed;
    private bool isLoaded;

    /// <param name="makeDurable">Makes the events up to a position durable.</param>
    public ProofKeeper(ProofOptions options, StoreFolder folder, IReadableIndex index, EventFiles eventFiles, Action<long> makeDurable,
        TimeProvider clock, ILogger logger)
    {
        this.makeDurable = makeDurable;
        this.folder = folder;
        this.index = index;
        this.clock = clock;
        this.logger = logger;
        key = options.Key;
        witnesses = [.. options.Witnesses.Select(Path.GetFullPath)];
        known = new ProofStatus
        {
            Witnesses = [.. witnesses.Select(static witness =>
                new ProofWitnessStatus { Folder = witness, Position = null, Time = null, Problem = null })],
        };
        work = new EndableWork(NoteProblem);
        files = new TileFiles(folder.FileSystem, folder.Layout);
        tree = new EventTree(folder.FileSystem, files, new LeafSource(eventFiles), index.Published);
        interval = options.CheckpointInterval;
        timer = BackgroundThread.CreateTimer(clock, Checkpoint, "Opossum proof");
        if (key is not null)
            timer.Change(UntilFirst(), Timeout.InfiniteTimeSpan);
        Note(index.Published.Contents.Head);
    }

    /// <summary>Hears of a commit: hashes its events once some tiles are whole. Costs nothing until then.</summary>
    public void Note(long head)
    {
        var last = Interlocked.Read(ref begun);
        if (head / EventsAtOnce > last / EventsAtOnce && Interlocked.CompareExchange(ref begun, head, last) == last)
            BackgroundThread.Start(() => work.Do(Extend), "Opossum proof");
    }

    /// <summary>Reads the last checkpoint in the store; of the witnesses it reports what is known, because a share may not answer.</summary>
    public ProofStatus ReadStatus()
    {
        var status = known;
        try
        {
            var last = CheckpointWriter.ReadLast(folder.FileSystem, folder.Layout.ProofCheckpoint);
            return status with { CheckpointPosition = last?.Position, CheckpointTime = last?.Time };
        }
        catch (Exception e) when (e is StoreMaintenanceException or FileSystemException)
        {
            return status with { Problem = status.Problem ?? e.Message };
        }
    }

    /// <summary>Stops, after the tiles that are being written.</summary>
    public void Dispose()
    {
        timer.Dispose();
        work.Dispose();
    }

    // An interval after the last one, which another opening may have written: an app may never be open for a whole interval.
    private TimeSpan UntilFirst()
    {
        var left = ReadStatus().CheckpointTime - clock.GetUtcNow() + interval ?? TimeSpan.Zero;
        var atLeast = left < firstAfter ? firstAfter : left;
        return atLeast < interval ? atLeast : interval;
    }

    private void Checkpoint()
    {
        work.Do(WriteCheckpoint);
        timer.Change(interval, Timeout.InfiniteTimeSpan);
    }

    private void WriteCheckpoint()
    {
        var found = index.TakeView().Contents.Head == checkpointed ? null : KnownCheckpoints.Read(folder, witnesses);
        Extend();
        if (found is not null)
            WriteNewCheckpoint(found);
        known = known with { Problem = null };
    }

    private void WriteNewCheckpoint(KnownCheckpoints found)
    {
        var written = new CheckpointWriter(folder, tree, files, clock).Write(key!, found);
        var problems = written.WitnessProblems;
        foreach (var problem in problems)
            StoreLog.WitnessNotWritten(logger, folder.Root, problem);
        known = known with { Witnesses = [.. written.Witnesses.Zip(known.Witnesses, Remember)] };
        // A witness that missed it is tried again, also when no event follows.
        checkpointed = problems.Count == 0 ? tree.Size : -1;
    }

    // A witness that could not be reached still has what it had.
    private static ProofWitnessStatus Remember(ProofWitnessStatus now, ProofWitnessStatus before) =>
        now.Problem is not null && now.Position is null ? now with { Position = before.Position, Time = before.Time } : now;

    private void Extend()
    {
        if (!isLoaded)
            tree.Load();
        isLoaded = true;
        var view = index.TakeView(pastCache: true);
        // Order matters: a power cut that takes events whose hashes are on the disk would look like a history cut off.
        makeDurable(view.Contents.Head);
        tree.Extend(view, progress: null, work.Ending);
        // With a key, a problem may be that of the checkpoint, which only the next one can show to be gone.
        if (key is null)
            known = known with { Problem = null };
    }

    private void NoteProblem(Exception e)
    {
        isLoaded = false;
        known = known with { Problem = e.Message };
        StoreLog.ProofNotKept(logger, folder.Root, e.Message, e);
    }
}
