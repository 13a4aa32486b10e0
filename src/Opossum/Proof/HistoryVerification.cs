using System.Globalization;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Proof;

/// <summary>Compares the event files of a store with checkpoints, and finds the first event that differs.</summary>
/// <param name="checkpoints">The checkpoints, the one that covers the most first.</param>
/// <param name="trusted">The tiles that were made of the events at the time, if the first checkpoint's root is theirs; otherwise null.</param>
internal sealed class HistoryVerification(StoreFolder folder, IReadOnlyList<ProofCheckpoint> checkpoints, TrustedLeaves? trusted) : IDisposable
{
    private const int FilesAtOnce = 2_000;
    private const int NamedRedactionsMax = 1_000;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly EventFiles eventFiles = new(folder);
    private readonly CompactRange range = new();
    // Of two histories there may be two of one position.
    private readonly ILookup<long, ProofCheckpoint> byPosition = checkpoints.ToLookup(static each => each.Position);
    private readonly List<ProofRedaction> redacted = [];
    private long redactedCount;
    // By the root of a checkpoint, and also by the leaves of the newest one's tiles.
    private long verifiedUpTo, comparedUpTo;

    public ProofReport Run(Action<long> progress, CancellationToken cancellationToken)
    {
        var (last, source) = (checkpoints[0], new LeafSource(eventFiles));
        for (var next = 1L; next <= last.Position;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var read = new (EventLeaf? Leaf, string? Problem)[Math.Min(FilesAtOnce, last.Position - next + 1)];
            var first = next;
            fileSystem.ForEach(read.Length, at => read[at] = (source.OfFile(first + at, out var problem), problem));
            foreach (var (leaf, problem) in read)
            {
                if (Judge(next, leaf, problem) is { } difference)
                    return Report(difference);
                NoteRedaction(next, leaf!.Value.Redaction);
                next++;
            }
            progress(next - 1);
        }
        return Report(null);
    }

    public void Dispose() => eventFiles.Dispose();

    private ProofReport Report(ProofDifference? difference) => new(checkpoints[0], comparedUpTo, difference, redacted, redactedCount);

    private void NoteRedaction(long position, RedactionRecord? record)
    {
        if (record is null)
            return;
        if (redactedCount++ < NamedRedactionsMax)
            redacted.Add(new ProofRedaction { Position = position, Redactions = record.Redactions });
    }

    private ProofDifference? Judge(long position, EventLeaf? leaf, string? problem)
    {
        if (leaf is not var (hash, redaction))
            return NoEvent(position, problem!);
        if (trusted?.Leaf(position) is { } expected)
        {
            if (hash != expected)
                return Differs(position, hash, redaction is not null);
            comparedUpTo = position;
        }
        range.Add(hash);
        if (!byPosition.Contains(position))
            return null;
        var root = range.Root();
        if (byPosition[position].FirstOrDefault(each => each.Root != root) is not { } checkpoint)
        {
            verifiedUpTo = comparedUpTo = position;
            return null;
        }
        // The tiles are those of the newest checkpoint only.
        comparedUpTo = verifiedUpTo;
        return Difference(ProofDifferenceKind.Rewritten, verifiedUpTo + 1, string.Create(CultureInfo.InvariantCulture,
            $"The events up to position {verifiedUpTo} are those of the checkpoints. One or more of the events {verifiedUpTo + 1} to {position} "
                + $"differ from those that the checkpoint of {checkpoint.Time.UtcDateTime:yyyy-MM-dd HH:mm:ss} UTC covers. "
                + $"Which ones is not known: the tree's tiles are missing or were rewritten too."), position);
    }

    private ProofDifference NoEvent(long position, string problem)
    {
        var path = eventFiles.PathOf(position);
        var isSealed = eventFiles.IsSealed(folder.Layout.ShardOf(position));
        if (isSealed ? eventFiles.Sealed.FindLine(position) is not null : fileSystem.GetKind(path) != EntryKind.Missing)
            return Difference(ProofDifferenceKind.Changed, position, $"{path} {problem}.{NotCompared(position)}");
        if (eventFiles.Listing.After(position).Count > 0)
        {
            return Difference(ProofDifferenceKind.Missing, position,
                $"The event is missing: {path} {(isSealed ? "has no line for it" : "does not exist")}.{NotCompared(position)}");
        }
        var last = checkpoints[0].Position;
        return Difference(ProofDifferenceKind.CutOff, position,
            Say($"The history was cut off: the events {position} to {last} are missing.{NotCompared(position)}"), last);
    }

    private string NotCompared(long position) => comparedUpTo == position - 1 ? "" : Say($" Whether the events {comparedUpTo + 1} to {position - 1} ")
        + "are those that the checkpoint covers is not known: the tree's tiles are missing or were rewritten.";

    private ProofDifference Differs(long position, TreeHash leaf, bool isRedacted)
    {
        var path = eventFiles.PathOf(position);
        if (trusted!.Find(leaf) is { } other)
            return Difference(ProofDifferenceKind.Moved, position, Say($"{path} holds the event that was at position {other}."));
        if (isRedacted)
        {
            return Difference(ProofDifferenceKind.Changed, position,
                $"{path} says that the event was redacted, but not with the leaf of the event that was stored.");
        }
        if (IsShifted(position, by: -1, position))
        {
            return Difference(ProofDifferenceKind.Inserted, position,
                Say($"An event was inserted at position {position}: the event that was there is now the one after it."));
        }
        if (IsShifted(position, by: 1, position + 1))
        {
            return Difference(ProofDifferenceKind.Removed, position,
                Say($"The event of position {position} was removed: the event that was after it is in its place."));
        }
        return Difference(ProofDifferenceKind.Changed, position, $"{path} does not hold the event that was stored.");
    }

    // Of one event, unless the last one is named.
    private static ProofDifference Difference(ProofDifferenceKind kind, long first, string message, long? last = null) =>
        new() { Kind = kind, First = first, Last = last ?? first, Message = message };

    // Whether an event beside the position, numbered as before, is the one that was at the original position.
    private bool IsShifted(long position, int by, long original)
    {
        var from = by < 0 ? position + 1 : position;
        if (eventFiles.Read(from, out _) is not { } stored || trusted!.Leaf(original) is not { } expected)
            return false;
        var commit = new CommitRange(stored.Commit.First + by, stored.Commit.Last + by, stored.Commit.After + by);
        var moved = stored with { Position = stored.Position + by, Commit = commit, Condition = stored.Condition?.MovedBy(by) };
        return LeafSource.Of(EventFile.TextOf(moved)) == expected;
    }

    private static string Say(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
