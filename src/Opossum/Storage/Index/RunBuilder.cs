using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Index;

/// <summary>
/// Makes runs of a store's older events, in the background or while the index is derived, so that the tail stays short. A failure is logged, and
/// appends and reads go on with a longer tail.
/// </summary>
internal sealed class RunBuilder : IDisposable
{
    private readonly EventIndex index;
    private readonly StoreFolder folder;
    private readonly RunFolder runFolder;
    private readonly ILogger logger;
    private readonly EndableWork work;
    private Begun? begun;

    // The index file and the head with which a step began.
    private sealed record Begun(object? IndexFile, int Head);

    public RunBuilder(EventIndex index, StoreFolder folder, ILogger logger)
    {
        this.index = index;
        this.folder = folder;
        this.logger = logger;
        runFolder = index.Runs;
        work = new EndableWork(e => StoreLog.RunNotWritten(logger, folder.Layout.Index, e.Message, e));
    }

    /// <summary>Makes runs in the background from now on.</summary>
    public void Start()
    {
        if (!runFolder.Settings.InBackground)
            return;
        index.TailGrew = Note;
        Note(index.Published.Contents);
    }

    /// <summary>Makes the runs that are due, uses them, and deletes those that longer ones have replaced.</summary>
    public void Run() => work.Do(MakeRuns);

    /// <summary>The same after each part of an index that is derived, of which memory would otherwise have to hold all.</summary>
    public void RunIfDue()
    {
        if (TryBegin(index.Contents))
            Run();
    }

    /// <summary>Uses a copy of a run of another index of the same events, of which this one has the frames.</summary>
    public void Take(IndexRun run) => work.Do(() => Copy(run));

    /// <summary>Stops, in the middle of a run if need be.</summary>
    public void Dispose()
    {
        index.TailGrew = null;
        work.Dispose();
    }

    // Called with each commit.
    private void Note(IndexContents contents)
    {
        if (TryBegin(contents))
            BackgroundThread.Start(Run, "Opossum index");
    }

    // Costs nothing until a run is due.
    private bool TryBegin(IndexContents contents)
    {
        var length = runFolder.Settings.Length;
        if (contents.Tail.Count < 2 * length)
            return false;
        var (last, file) = (Volatile.Read(ref begun), index.FileInUse);
        return (last is null || last.IndexFile != file || contents.Head - last.Head >= length / 4)
            && Interlocked.CompareExchange(ref begun, new Begun(file, contents.Head), last) == last;
    }

    private IFile? OpenIndex() =>
        folder.FileSystem.Open(folder.Layout.IndexFile, folder.Volume.IsNetwork ? FileOpening.Read : FileOpening.ReadWrite);

    // Order matters: before there is a run of the frames. No opening reads frames that a run covers, so a power cut
    // would take them unnoticed. On a share they were flushed when they were written.
    private void FlushFrames(IFile file)
    {
        if (!folder.Volume.IsWrittenThrough)
            file.Flush();
    }

    private void Copy(IndexRun run)
    {
        using var file = OpenIndex();
        using var duty = file is null ? null : StoreDuty.TryTake(folder, Duty.Runs);
        if (file is null || duty is null)
            return;
        List<IndexRun> runs = [.. index.Contents.Runs.TakeWhile(before => before.Last <= run.Basis)];
        if ((runs.Count == 0 ? 0 : runs[^1].Last) != run.Basis)
            return;
        FlushFrames(file);
        if (runFolder.Write(file, run.CopyTo) is { } copy)
            index.TryUse([.. runs, copy]);
    }

    // Invariant: what a run says, the frames that it covers say too, so that any run may be missing. So the frames are
    // flushed before a run is made of them, a run has its name only once it is whole, and those that it replaces stay
    // until the next step, for processes that still use them.
    private void MakeRuns()
    {
        using var file = OpenIndex();
        using var duty = file is null ? null : StoreDuty.TryTake(folder, Duty.Runs);
        if (file is null || duty is null)
            return;
        runFolder.DeleteLeftovers();
        var (contents, end) = index.Snapshot();
        // Other processes make runs too.
        var runs = runFolder.Load(file, index.Header, contents.Runs);
        DeleteReplaced(runs);
        var frames = new FrameReader(file, runs.Count == 0 ? index.FirstFrame : runs[^1].Header.FrameEnd);
        MergeAll(runs, file);
        if (IsDue(runs, contents.Head))
            FlushFrames(file);
        while (IsDue(runs, contents.Head) && TryMake(runs, file, frames, end))
            MergeAll(runs, file);
        // None: the file was replaced, by one with other rules.
        if (runs.Count > 0 && !runs.SequenceEqual(contents.Runs))
            index.TryUse(runs);
    }

    private bool IsDue(List<IndexRun> runs, int head)
    {
        var basis = runs.Count == 0 ? 0 : runs[^1].Last;
        var length = runFolder.Settings.Length;
        return head - (basis / length + 1) * (long)length >= length;
    }

    private bool TryMake(List<IndexRun> runs, IFile file, FrameReader frames, long end)
    {
        var tail = runs.Count == 0 ? new IndexTail(0, 0, index.FirstChain) : runs[^1].NewTail();
        var settings = runFolder.Settings;
        if (RunMaking.TryFill(tail, frames, end, settings.Length) is not { } range)
            return false;
        var source = new TailSource(tail, range, folder.Id!.Value, settings.Length, settings.Fan);
        if (runFolder.Write(file, output => RunWriter.Write(source, output, work.Ending)) is not { } made)
            return false;
        runs.Add(made);
        StoreLog.RunMade(logger, folder.Root, made.Basis + 1, made.Last);
        return true;
    }

    private void MergeAll(List<IndexRun> runs, IFile file)
    {
        while (TryMerge(runs, file))
        {
        }
    }

    private bool TryMerge(List<IndexRun> runs, IFile file)
    {
        var group = RunMaking.NextToMerge(runs, runFolder.Settings);
        if (group.Count == 0
            || runFolder.Write(file, output => RunWriter.Write(new MergeSource(group, work.Ending), output, work.Ending)) is not { } merged)
        {
            return false;
        }
        var at = runs.IndexOf(group[0]);
        runs.RemoveRange(at, group.Count);
        runs.Insert(at, merged);
        StoreLog.RunMade(logger, folder.Root, merged.Basis + 1, merged.Last);
        return true;
    }

    private void DeleteReplaced(List<IndexRun> runs)
    {
        if (runs.Count == 0)
            return;
        foreach (var (basis, last) in runFolder.List())
        {
            if (last <= runs[^1].Last && !runs.Exists(run => run.Basis == basis && run.Last == last))
                runFolder.TryDelete(basis, last);
        }
    }
}
