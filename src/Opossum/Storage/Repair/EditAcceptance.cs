using Opossum.Serialization;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Repair;

/// <summary>Makes an event file that was edited by hand valid, and the index agree with it.</summary>
internal sealed class EditAcceptance(StoreUnderRepair store, long position)
{
    private readonly string path = store.EventFiles.PathOf(position);

    public StoreRepairReport Run()
    {
        var bytes = store.EventFiles.ReadBytes(position) ?? throw Refused("is missing, or no event file");
        var valid = store.EventFiles.Read(bytes, position, out _);
        if (valid is not null && valid.Checksum == store.ReadCopyChecksum(position))
            return store.Report($"Nothing was to be accepted: {path} is valid{(IsAsWritten(bytes) ? "" : ", for white space alone was changed in it")}, and the index agrees with it.", []);
        if (valid is not null)
            return store.Report($"{path} is valid; the index was made to agree with it.", [], store.TryRebuildIndex());

        var edited = EventFile.ReadEdited(bytes, position, out var problem) ?? throw Refused(problem!);
        ThrowIfAstray(edited);
        if (store.ReadCopyText(position) is not null)
            store.KeepCopies([position]);
        store.ReplaceEventFile(position, EventFile.TextOf(edited));
        // Order matters: the index, which still has the event as it was, goes when the edited one is there.
        var remaining = store.TryRebuildIndex();
        return store.Report($"The edited event at position {position} was accepted.", [position], remaining);
    }

    private static bool IsAsWritten(ReadOnlySpan<byte> bytes) => bytes.SequenceEqual(EventFile.TextOfLine(CanonicalText.Of(bytes)));

    // What ties the event to its place must be as it was: other events, and whoever noted it, rely on it.
    private void ThrowIfAstray(StoredEvent edited)
    {
        if (store.ReadCopy(position) is { } copy)
        {
            if (edited.Commit != copy.Commit || edited.Content.Id != copy.Content.Id)
                throw Refused($"has another id or commit than the event had: {copy.Content.Id}, first {copy.Commit.First}, last {copy.Commit.Last}, after {copy.Commit.After}");
            if (edited.Commit.Count > 1 && !edited.IsOfSameAppend(copy))
                throw Refused("has another timestamp than the other events of its append");
            return;
        }
        if (!Fits(position - 1, edited, static each => each.Last + 1) || !Fits(position + 1, edited, static each => each.First - 1))
            throw Refused($"has a commit (first {edited.Commit.First}, last {edited.Commit.Last}, after {edited.Commit.After}) or a timestamp that contradicts its neighbours'");
    }

    // Neighbours are of the same append, or each ends where the other begins. What is no valid neighbour says nothing.
    private bool Fits(long neighbour, StoredEvent edited, Func<CommitRange, long> placeBeside)
    {
        if (neighbour < 1 || store.EventFiles.Read(neighbour, out _) is not { } stored)
            return true;
        return neighbour >= edited.Commit.First && neighbour <= edited.Commit.Last ? stored.IsOfSameAppend(edited) : placeBeside(stored.Commit) == position;
    }

    private StoreRepairException Refused(string what) => new(path, $"The edit was not accepted: {path} {what}. Nothing was changed.");
}
