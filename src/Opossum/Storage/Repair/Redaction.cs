using System.Globalization;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Maintenance;
using Opossum.Projections.States;
using Opossum.Proof;
using Opossum.Serialization;
using Opossum.Storage.Log;

namespace Opossum.Storage.Repair;

/// <summary>Replaces members of events by null wherever the store has them, and records that in each event.</summary>
internal sealed class Redaction(StoreUnderRepair store, TimeProvider clock)
{
    /// <summary>Whether an event was redacted: then older copies of it have another checksum.</summary>
    public static bool IsOf(StoredEvent stored) => RedactionRecord.Read(stored.Content.Metadata) is not null;

    public RedactionReport Run(RedactionOrder order)
    {
        ThrowIfOfNewerMinor();
        RedactionReport? finished = null;
        if (ReadPlan() is { } unfinished)
        {
            finished = Finish(unfinished);
            if (!IsOf(unfinished, order))
                finished = null;
            else if (order.Positions.IsSubsetOf(unfinished.Events.Select(static each => each.Position)))
                return finished;
        }
        var (plan, unchanged) = Plan(order);
        // An event that was edited by hand has nothing to redact, but its original lies in Quarantine.
        var originals = InQuarantine(plan with { Events = unchanged }, [.. order.Members]);
        if (unchanged.Count > 0)
            originals.Run();
        RedactionReport? redacted = null;
        if (plan.Events.Count > 0)
        {
            plan.Write(store.FileSystem, store.Layout);
            redacted = Redact(plan, plan.Events);
        }
        var report = new RedactionReport
        {
            Redacted = redacted?.Redacted ?? [],
            Unchanged = [.. unchanged.Select(static each => each.Position).Concat(redacted?.Unchanged ?? []).Order()],
            RedactedInQuarantine = [.. originals.Redacted, .. redacted?.RedactedInQuarantine ?? []],
            UnreadInQuarantine = [.. originals.Unread.Union(redacted?.UnreadInQuarantine ?? [])],
            Projections = redacted?.Projections ?? [],
            Reactions = redacted?.Reactions ?? [],
        };
        return finished is null ? report : Both(finished, report);
    }

    /// <summary>Finishes what was interrupted; null when nothing was.</summary>
    public RedactionReport? Finish() => ReadPlan() is { } plan ? Finish(plan) : null;

    private RedactionPlan? ReadPlan() => store.EventFiles.ReadBytes(store.Layout.RedactionFile) is { } file
        ? RedactionPlan.Parse(store.Layout.RedactionFile, file)
        : null;

    private void ThrowIfOfNewerMinor()
    {
        if (store.IsOfNewerMinor)
        {
            throw new StoreMaintenanceException(store.Layout.StoreFile,
                "Nothing was redacted: a newer version of Opossum has written to this store, and its events may have members that this one does not "
                    + "know. Update Opossum.");
        }
    }

    private static bool IsOf(RedactionPlan plan, RedactionOrder order) => plan.Redaction.Reason == order.Reason
        && plan.Redaction.Members.SequenceEqual(order.Members.Select(static path => path.ToString()))
        && plan.Events.All(each => order.Positions.Contains(each.Position));

    // What the first one redacted is unchanged for the second one.
    private static RedactionReport Both(RedactionReport first, RedactionReport second) => new()
    {
        Redacted = [.. first.Redacted.Concat(second.Redacted).Order()],
        Unchanged = [.. second.Unchanged.Except(first.Redacted)],
        RedactedInQuarantine = [.. first.RedactedInQuarantine.Union(second.RedactedInQuarantine)],
        UnreadInQuarantine = [.. first.UnreadInQuarantine.Union(second.UnreadInQuarantine)],
        Projections = [.. first.Projections.Union(second.Projections).Order(StringComparer.Ordinal)],
        Reactions = [.. first.Reactions.Union(second.Reactions).Order(StringComparer.Ordinal)],
    };

    private (RedactionPlan Plan, List<(long Position, Guid Id)> Unchanged) Plan(RedactionOrder order)
    {
        var erasure = new MemberErasure(order.Members);
        var events = new List<(long, Guid)>();
        var unchanged = new List<(long, Guid)>();
        var last = store.ReadWhole("Nothing was redacted", stored =>
        {
            if (!order.Positions.Contains(stored.Position))
                return;
            // Where the log has another text than the event file, that may be the one to redact.
            if (erasure.Erase(stored.Content.Json) is null && store.ReadChecksum(stored.Position) == stored.Checksum)
                unchanged.Add((stored.Position, stored.Content.Id));
            else
                events.Add((stored.Position, stored.Content.Id));
        });
        if (order.Positions.Max > last)
        {
            throw new StoreMaintenanceException(store.Layout.Root, string.Create(CultureInfo.InvariantCulture,
                $"There is no event at position {order.Positions.First(position => position > last)}: the last one is at position {last}. "
                    + $"Nothing was changed."));
        }
        if (erasure.NotFound.FirstOrDefault() is { } missing)
        {
            throw new StoreMaintenanceException(store.Layout.Root,
                $"None of the events has the member {NameRules.Quote(missing.ToString())}. Nothing was changed. Write the path as the event files "
                    + "have it, below \"data\", with upper and lower case: email, address.street, contacts[].phone.");
        }
        var by = $"{Environment.UserName} on {Environment.MachineName}";
        var redaction = new EventRedaction
        {
            Members = [.. order.Members.Select(static path => path.ToString())],
            Reason = order.Reason,
            By = by,
            At = clock.GetUtcNow(),
        };
        return (new RedactionPlan(Guid.NewGuid(), redaction, events), unchanged);
    }

    private RedactionReport Finish(RedactionPlan plan)
    {
        ThrowIfOfNewerMinor();
        // What a truncation has cut off since is only in Quarantine, and its position may have been given to another event.
        var events = new HashSet<(long, Guid)>(plan.Events);
        var there = new List<(long, Guid)>();
        store.ReadWhole("The redaction was not finished", stored =>
        {
            if (events.Contains((stored.Position, stored.Content.Id)))
                there.Add((stored.Position, stored.Content.Id));
        });
        return Redact(plan, there);
    }

    // Invariant: until the last step the plan is there, durably, and each step can be repeated, so the next call
    // finishes what was interrupted. So the event files come first, then the index, which is made of them, then what
    // else has the old text, as in Quarantine, where making the index may set files aside.
    private RedactionReport Redact(RedactionPlan plan, IReadOnlyList<(long Position, Guid Id)> events)
    {
        var paths = plan.Redaction.Members.Select(static member => MemberPath.Parse(member, nameof(plan))).ToList();
        store.Unseal(events.Select(static each => each.Position));
        var (redacted, unchanged) = (new List<long>(), new List<long>());
        for (var done = 0; done < events.Count;)
        {
            var position = events[done].Position;
            (TryRedactFile(position, plan.Redaction, paths) ? redacted : unchanged).Add(position);
            store.ReportProgress(++done, events.Count);
        }
        store.ReplaceIndex();
        store.DeleteLeftovers();
        var quarantine = InQuarantine(plan, paths);
        quarantine.Run();
        var projections = RequestRebuilds(plan.Id);
        var mentions = new ReactionMentions(store, plan.Events.Select(static each => each.Id));
        var report = new RedactionReport
        {
            Redacted = redacted,
            Unchanged = unchanged,
            RedactedInQuarantine = quarantine.Redacted,
            UnreadInQuarantine = quarantine.Unread,
            Projections = projections,
            Reactions = mentions.Find(),
        };
        RedactionPlan.Delete(store.FileSystem, store.Layout);
        return report;
    }

    /// <summary>The event without what the paths lead to; null when that is missing or null already.</summary>
    public static StoredEvent? Erased(StoredEvent stored, TreeHash leaf, EventRedaction redaction, IReadOnlyList<MemberPath> paths)
    {
        var texts = new HashSet<string>(StringComparer.Ordinal);
        if (new MemberErasure(paths, texts).Erase(stored.Content.Json) is not { } json)
            return null;
        var before = RedactionRecord.Read(stored.Content.Metadata);
        var record = new RedactionRecord(before?.Leaf ?? leaf.ToString(), [.. before?.Redactions ?? [], redaction]);
        return stored with
        {
            Content = stored.Content with { Json = json, Metadata = record.AddTo(stored.Content.Metadata) },
            Condition = stored.Condition?.Without(texts),
            Line = null,
        };
    }

    // False: neither the event file nor its line had what is to be removed, as far as the line can be read.
    private bool TryRedactFile(long position, EventRedaction redaction, IReadOnlyList<MemberPath> paths)
    {
        var path = store.EventFiles.PathOf(position);
        string? problem = "is missing";
        if (store.EventFiles.ReadBytes(position) is not { } bytes || store.EventFiles.Read(bytes, position, out problem) is not { } stored)
        {
            throw new StoreMaintenanceException(path,
                $"The redaction was interrupted: {path} {problem ?? "is not an event file"}. {StoreCheck.InWords} names the remedy. Then finish "
                    + $"it: {nameof(StoreRepair.FinishRedactionAsync)}, or opossum repair redact --finish.");
        }
        if (Erased(stored, LeafSource.Of(bytes), redaction, paths) is not { } erased)
        {
            // The same redaction may have done it before it was interrupted.
            return RedactionRecord.Read(stored.Content.Metadata)?.Redactions.Any(each => each.At == redaction.At && each.By == redaction.By) == true
                || (store.ReadChecksum(position) is { } line && line != stored.Checksum);
        }
        store.ReplaceEventFile(position, EventFile.TextOf(erased));
        return true;
    }

    private QuarantineRedaction InQuarantine(RedactionPlan plan, IReadOnlyList<MemberPath> paths) =>
        new(store.FileSystem, store.EventFiles, store.Layout, plan, paths);

    // No process knows which events a state was built on, so all are built again.
    private List<string> RequestRebuilds(Guid id)
    {
        var (fileSystem, folder) = (store.FileSystem, store.Layout.Projections);
        var names = fileSystem.ListIfThere(folder).FindAll(name => HasBuilt(new ProjectionLayout(folder, name)));
        names.Sort(StringComparer.Ordinal);
        // Order matters: a process that still reads the replaced index would build its states of the old text.
        if (names.Count > 0)
            store.Index.WaitUntilReplacedIsSeen();
        foreach (var name in names)
        {
            var layout = new ProjectionLayout(folder, name);
            new LeaderRequest(id, RequestKind.Rebuild).Write(fileSystem, layout);
        }
        return names;

        bool HasBuilt(ProjectionLayout layout) => Generations.List(fileSystem, layout).Count > 0
            || fileSystem.GetKind(layout.RowFile) != EntryKind.Missing;
    }
}
