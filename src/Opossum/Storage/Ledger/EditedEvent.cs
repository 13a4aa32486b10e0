namespace Opossum.Storage.Ledger;

/// <summary>Judges whether an event file that was edited by hand still is the event of its place.</summary>
internal static class EditedEvent
{
    /// <summary>
    /// What ties the event to its place must be as it was: other events, and whoever noted it, rely on it. Says what is not, as the end of a
    /// sentence that begins with the file; null: all is.
    /// </summary>
    /// <param name="edited">The event as it was edited.</param>
    /// <param name="copy">The event as the index has it; null: the index has no copy, and its neighbours are asked.</param>
    /// <param name="eventFiles">The event files.</param>
    public static string? FindAstray(StoredEvent edited, StoredEvent? copy, EventFiles eventFiles)
    {
        if (copy is not null)
        {
            if (edited.Commit != copy.Commit || edited.Content.Id != copy.Content.Id)
                return $"has another id or commit than the event had: {copy.Content.Id}, first {copy.Commit.First}, last {copy.Commit.Last}, after {copy.Commit.After}";
            return edited.Commit.Count > 1 && !edited.IsOfSameAppend(copy) ? "has another timestamp than the other events of its append" : null;
        }
        return Fits(-1, static each => each.Last + 1) && Fits(1, static each => each.First - 1)
            ? null
            : $"has a commit (first {edited.Commit.First}, last {edited.Commit.Last}, after {edited.Commit.After}) or a timestamp that contradicts its neighbours'";

        // Neighbours are of the same append, or each ends where the other begins. What is no valid neighbour says nothing.
        bool Fits(int step, Func<CommitRange, long> placeBeside)
        {
            var neighbour = edited.Position + step;
            if (neighbour < 1 || eventFiles.Read(neighbour, out _) is not { } stored)
                return true;
            return neighbour >= edited.Commit.First && neighbour <= edited.Commit.Last ? stored.IsOfSameAppend(edited) : placeBeside(stored.Commit) == edited.Position;
        }
    }
}
