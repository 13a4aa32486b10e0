using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Backup;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Replicas;

/// <summary>
/// The index of a replica: it names the copies that are durable, up to the end of an append, and so shows them to
/// readers.
/// </summary>
internal sealed class ReplicaIndex(BackupTarget target, TimeProvider clock, IProgress<StoreProgress>? progress) : IDisposable
{
    private const int ReportedEvents = 1_000;

    private readonly StoreFolder folder = target.Folder;
    private readonly EventFiles eventFiles = target.EventFiles;
    private readonly EventIndex index = new(target.Folder, clock);
    private RunBuilder? runs;
    private bool isLoaded;

    /// <summary>The last position that readers see.</summary>
    public long Head => index.Head;

    public TagRuleSet Rules => index.Rules;

    private StoreLock.Held Held => target.Held;

    /// <summary>Loads the index, and gives all events their files, if the folder was a store that wrote lines first.</summary>
    public void Open()
    {
        isLoaded = index.TryLoad(underLock: true);
        var files = new FilesBehind(folder, index, eventFiles, StoreSettings.ForOneRun(clock));
        if (folder.HasEvents)
            files.SettleLog(Held);
        if (isLoaded)
            files.Settle(Held);
    }

    /// <summary>Brings the index in line with the copies.</summary>
    /// <param name="end">The last position that has a durable copy, as have all before it; an append ends there.</param>
    /// <param name="isOutdated">Whether copies may have been changed since they were indexed.</param>
    /// <param name="source">The store.</param>
    public void Settle(long end, bool isOutdated, BackupSource source)
    {
        // The files are those of the store.
        var rules = TagRuleFiles.Read(folder.FileSystem, folder.Layout);
        if (isOutdated || !IsSound(end, rules))
            index.Reset(Held, rules);
        Held.AssertIsHeld();
        runs = new RunBuilder(index, folder, NullLogger.Instance);
        runs.Start();
        // An interrupted step left them.
        if (!isOutdated && LastSealed(end) is var last && last > Head)
            AdoptSealed(source, source.EndOfAppend(last));
        Adopt(end);
        index.Settle();
    }

    /// <summary>Learns what another process has indexed meanwhile; null when the files are not as they were left.</summary>
    /// <returns>The last position.</returns>
    public long? CatchUp() => index.CatchUp(pastCache: folder.Volume.ViewMayBeStale, underLock: true) == IndexState.Current ? index.Head : null;

    /// <summary>Shows readers the copies of sealed folders, by what the store's index says of their events as far as it fits.</summary>
    /// <param name="source">The store.</param>
    /// <param name="end">The last position; an append ends there.</param>
    public void AdoptSealed(BackupSource source, long end)
    {
        using (var theirs = folder.FileSystem.Open(source.Layout.IndexFile, FileOpening.Read))
        {
            var header = new byte[index.FirstFrame];
            if (theirs is not null && theirs.Read(header, 0) == header.Length && header.AsSpan().SequenceEqual(index.Header))
            {
                foreach (var run in source.Runs)
                {
                    if (run.Last > Head && run.Last <= end && index.CopyFrames(theirs, run.Last, Held) == run.Header.Chain)
                        runs!.Take(run);
                }
                index.CopyFrames(theirs, end, Held);
                index.CatchUp(underLock: true);
            }
        }
        Adopt(end);
    }

    /// <summary>Shows readers the copies up to a position at which an append ends.</summary>
    /// <exception cref="FileSystemException">A copy cannot be read.</exception>
    public void Adopt(long end)
    {
        var (first, reported) = (index.Head, index.Head);
        var reader = new CommitReader(eventFiles, first, end);
        foreach (var whole in reader.ReadWhole())
        {
            index.Prepare(whole, Held);
            target.ThrowIfLost();
            index.Publish(Held);
            runs!.RunIfDue();
            if (index.Head - reported < ReportedEvents)
                continue;
            reported = index.Head;
            progress.Report(StoreOperation.IndexRebuild, reported - first, end - first);
        }
        if (reader.Problem is { } problem)
        {
            throw new FileSystemException(FileError.Other, "read", eventFiles.PathOf(problem.Position),
                $"it {problem.What}, although it was just copied; check the disk or the share");
        }
        runs!.Run();
    }

    public void Dispose()
    {
        runs?.Dispose();
        index.Dispose();
    }

    // The end of the sealed folders that follow the head.
    private long LastSealed(long end)
    {
        var last = Head;
        while (last < end && eventFiles.Sealed.IsKnown(folder.Layout.ShardOf(last + 1)))
            last = folder.Layout.LastOf(folder.Layout.ShardOf(last + 1));
        return Math.Min(last, end);
    }

    private bool IsSound(long end, TagRuleSet rules)
    {
        if (!isLoaded || !index.Rules.IsSameAs(rules))
            return false;
        var state = index.CatchUp(pastCache: folder.Volume.ViewMayBeStale, underLock: true);
        if (state == IndexState.UnclearTail)
            index.CutTail(Held);
        if (state == IndexState.Gone || index.Head > end)
            return false;
        var judgement = new IndexJudgement(index, eventFiles, folder.Layout);
        return judgement.IsSound() || (judgement.IsOfTheseEvents(index.Head, out var lostLines) && lostLines.TrueForAll(TryMend));
    }

    private bool TryMend(long position) => eventFiles.Read(position, out _) is { } stored && index.TryMend(stored, Held);
}
