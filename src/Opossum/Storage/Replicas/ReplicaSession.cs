using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Reactions.Files;
using Opossum.Serialization;
using Opossum.Storage.Backup;
using Opossum.Storage.Definitions;
using Opossum.Storage.Ledger;
using Opossum.Storage.Repair;
using Opossum.Storage.Sealing;

namespace Opossum.Storage.Replicas;

/// <summary>
/// A store and the replica that follows it, open: each step copies what has become durable in the store since. The
/// lock of the replica is held during a
/// step, that of the store never.
/// </summary>
internal sealed class ReplicaSession : IDisposable
{
    // What costs a listing or a flush and is no event: folders that were sealed, marks of reactions, the note of when the store was last seen.
    private static readonly TimeSpan upkeepInterval = TimeSpan.FromSeconds(5);

    // At a look, of a store that is in use: more is a replica that catches up.
    private const int InTurnMax = 2_000;

    // Every file of a key and of a schema is read then.
    private static readonly TimeSpan keysInterval = TimeSpan.FromMinutes(10);

    private readonly IFileSystem fileSystem;
    private readonly BackupSource source;
    private readonly BackupTarget target;
    private readonly ReplicaIndex index;
    private readonly ReplicaOptions options;
    private readonly BackupRun run;
    private readonly KeyCopies keys;
    private readonly TimeProvider clock;
    private readonly IProgress<StoreProgress>? progress;
    private readonly CancellationToken cancellationToken;
    private long keptUpAt;
    private long keysComparedAt;
    private int mended;
    private bool isOutdated;

    private ReplicaSession(IFileSystem fileSystem, BackupSource source, BackupTarget target, ReplicaOptions options, TimeProvider clock,
        IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
    {
        this.fileSystem = fileSystem;
        this.source = source;
        this.target = target;
        this.options = options;
        this.clock = clock;
        this.progress = progress;
        this.cancellationToken = cancellationToken;
        index = new ReplicaIndex(target, clock, progress);
        run = new BackupRun(source, target, progress, cancellationToken);
        keys = new KeyCopies(fileSystem, source.Layout, target.Folder.Layout, cancellationToken);
    }

    /// <summary>Opens both, and brings what the replica has in line with the store.</summary>
    /// <exception cref="StoreMaintenanceException">The folder cannot follow the store; the message says why.</exception>
    /// <exception cref="StoreOpenException">The store cannot be read.</exception>
    public static ReplicaSession Open(IFileSystem fileSystem, StoreLayout layout, string target, ReplicaOptions options, TimeProvider clock,
        IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
    {
        var source = BackupSource.Open(fileSystem, layout, clock);
        ReplicaSession? session = null;
        BackupTarget? opened = null;
        try
        {
            ReplicaFile? replica = null;
            opened = BackupTarget.Open(fileSystem, source, target, clock, cancellationToken,
                folder => replica = new ReplicaJudgement(fileSystem, source, folder, clock).Admit());
            session = new ReplicaSession(fileSystem, source, opened, options, clock, progress, cancellationToken);
            session.Begin(replica!);
            opened.Release();
            return session;
        }
        catch
        {
            if (session is null)
            {
                opened?.Dispose();
                source.Dispose();
            }
            session?.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Copies what has become durable since the last step: all of it if no further step follows, or else one folder of event files, or some
    /// sealed ones.
    /// </summary>
    /// <param name="isLast">Whether no further step follows soon: then the upkeep is done too.</param>
    /// <returns>What was copied; null when the session must be opened again, because the store or the replica was
    /// changed meanwhile.</returns>
    /// <exception cref="StoreMaintenanceException">The folder can no longer follow the store.</exception>
    public ReplicaReport? TryStep(bool isLast)
    {
        target.Hold(cancellationToken);
        try
        {
            if (!IsCurrent() || index.CatchUp() is not { } end)
                return null;
            var isUpkeepDue = isLast || isOutdated || clock.GetElapsedTime(keptUpAt) >= upkeepInterval;
            if (isUpkeepDue && !source.Rules.IsSameAs(index.Rules))
                return null;
            source.CatchUp();
            Copy(end, isUpkeepDue, isLast);
            if (isUpkeepDue)
                KeepUp();
            var report = Report(copied: index.Head - end);
            mended = 0;
            return report;
        }
        finally
        {
            target.Release();
        }
    }

    public void Dispose()
    {
        index.Dispose();
        target.Dispose();
        source.Dispose();
    }

    private StoreLayout Layout => target.Folder.Layout;

    private void Begin(ReplicaFile replica)
    {
        index.Open();
        // A number that is not known, or another one: a repair or a redaction may have changed any event.
        isOutdated = replica.Revision != source.StoreFile.Revision;
        var end = run.Mend(isOutdated, out mended);
        target.EventFiles.Listing.DeleteLeftovers(target.Held);
        index.Settle(end, isOutdated, source);
        Write(replica);
    }

    private bool IsCurrent()
    {
        var (ours, theirs) = (source.ReadTerm(), StoreFile.Read(fileSystem, Layout));
        return ours.StoreFile == source.StoreFile && ours.Mark is null
            && theirs is not null && theirs.Id == source.StoreFile.Id && theirs.Term == source.StoreFile.Term
            && ReplicaFile.Find(fileSystem, Layout, theirs) is { IsDamaged: false } replica && replica.Term == theirs.Term;
    }

    private void Copy(long end, bool isUpkeepDue, bool isLast)
    {
        if (source.Head != end)
        {
            run.ThrowIfOtherHistory(end);
            keys.CopyNote();
        }
        else if (!isUpkeepDue)
        {
            return;
        }
        CopyKeys(end);
        var copies = new EventFileCopies(source.EventFiles, target.Folder, isInTurn: source.Head - end <= InTurnMax);
        var sealedCopies = new SealedFileCopies(source.EventFiles, target.Folder, target.EventFiles);
        // A folder of event files in each step, or some sealed ones: in between, the report says how far it is, and the replica can be promoted.
        for (var first = end + 1; first <= source.Head && (isLast || index.Head == end);)
        {
            var last = sealedCopies.Copy(first, source.Head, Proceed);
            if (last >= first)
            {
                // An append that begins in event files before the folder: the lines of its first events are not in the log yet.
                if (index.Head < first - 1 && !target.EventFiles.Sealed.IsKnown(Layout.ShardOf(index.Head + 1))
                    && source.Read(first).Commit.Last is var whole && whole <= last)
                {
                    index.Adopt(whole);
                }
                // Where a run of the store's index has events of later sealed folders too, it is taken whole after the last of them.
                if (source.Runs.FirstOrDefault(run => run.Last > last) is not { } next || next.Basis > index.Head || next.Last > source.Head
                    || !source.EventFiles.Sealed.IsKnown(Layout.ShardOf(next.Last)))
                {
                    index.AdoptSealed(source, source.EndOfAppend(last));
                }
            }
            else
            {
                last = Math.Min(Layout.LastOf(Layout.ShardOf(first)), source.Head);
                copies.Copy([.. Enumerable.Range(0, (int)(last - first + 1)).Select(at => first + at)], _ => Proceed());
                index.Adopt(source.EndOfAppend(last));
            }
            first = last + 1;
            progress.Report(StoreOperation.Backup, last - end, source.Head - end);
        }
    }

    // Order matters: before the events, or a reader would see values without their keys. A key is older than its value,
    // and changes only when its person is forgotten, or by hand.
    private void CopyKeys(long end)
    {
        var comparesAll = clock.GetElapsedTime(keysComparedAt) >= keysInterval || source.HasForgotten(end);
        keys.Copy(onlyMarks: !options.IncludeKeys, replaces: true, onlyNew: !comparesAll);
        if (!comparesAll)
            return;
        SchemaFiles.Copy(fileSystem, source.Layout, Layout);
        keysComparedAt = clock.GetTimestamp();
    }

    private void KeepUp()
    {
        SealAsSource();
        SchemaFiles.Copy(fileSystem, source.Layout, Layout, onlyNew: true);
        CopyMark.WriteAll(fileSystem, source.Layout.Reactions, Layout.Reactions, index.Head);
        if (isOutdated && fileSystem.GetKind(Layout.Quarantine) == EntryKind.Folder)
            RedactQuarantine();
        // Order matters: last, because the revision says that no redacted text is left, in Quarantine, or in a sealed
        // file that a power cut on a share may bring back.
        target.TakeRevision(source.StoreFile);
        Write(new ReplicaFile(source.Root, source.StoreFile.Term) { Revision = source.StoreFile.Revision });
        (keptUpAt, isOutdated) = (clock.GetTimestamp(), false);
    }

    // A former store that follows: what it has set aside may have the text of events that were redacted since.
    private void RedactQuarantine()
    {
        // By what one call redacted: each goes through all that was set aside.
        var plans = new Dictionary<(DateTimeOffset At, string By, string Members), (EventRedaction Redaction, List<(long, Guid)> Events)>();
        foreach (var (position, reading) in target.EventFiles.Batches.ReadRange(1, index.Head, target.EventFiles.Read))
        {
            Proceed();
            if (reading.Stored is not { } stored || RedactionRecord.Read(stored.Content.Metadata) is not { } record)
                continue;
            foreach (var redaction in record.Redactions)
            {
                var key = (redaction.At, redaction.By, string.Join('\n', redaction.Members));
                if (!plans.TryGetValue(key, out var plan))
                    plans.Add(key, plan = (redaction, []));
                plan.Events.Add((position, stored.Content.Id));
            }
        }
        foreach (var (redaction, events) in plans.Values)
        {
            Proceed();
            var paths = redaction.Members.Select(static member => MemberPath.Parse(member, nameof(redaction))).ToList();
            new QuarantineRedaction(fileSystem, target.EventFiles, Layout, new RedactionPlan(Guid.Empty, redaction, events), paths).Run();
        }
    }

    private void Write(ReplicaFile replica) =>
        (replica with { Head = index.Head, SourceHead = Math.Max(source.HeadSeen, index.Head), At = clock.GetUtcNow() }).Write(fileSystem, Layout);

    private void SealAsSource()
    {
        var theirs = source.EventFiles.Listing.SealedFolders(out _);
        theirs.RemoveWhere(shard => Layout.LastOf(shard) > index.Head);
        if (target.EventFiles.Listing.SealedFolders(out var isUnfinished).SetEquals(theirs) && !isUnfinished)
            return;
        using var sealing = SealingRun.Begin(target.Folder, clock, static (_, _) => { }, cancellationToken)!;
        sealing.SealAs(theirs);
        target.EventFiles.Sealed.Note(fileSystem.List(Layout.Events));
    }

    private ReplicaReport Report(long copied) => new()
    {
        Replica = target.Folder.Root,
        Source = source.Root,
        StoreId = source.StoreFile.Id,
        Term = source.StoreFile.Term,
        Head = index.Head,
        SourceHead = Math.Max(source.Head, index.Head),
        NotDurable = source.NotDurableAfter(index.Head),
        IsLockDenied = source.IsLockDenied,
        Copied = copied,
        Mended = mended,
        At = clock.GetUtcNow(),
        Problem = keys.Problem,
    };

    private void Proceed()
    {
        cancellationToken.ThrowIfCancellationRequested();
        target.ThrowIfLost();
    }
}
