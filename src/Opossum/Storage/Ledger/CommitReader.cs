namespace Opossum.Storage.Ledger;

/// <summary>Reads event files in position order and assembles whole appends: valid events, without a gap, that agree on their append.</summary>
/// <param name="after">The position after which reading begins; an append ends there.</param>
internal sealed class CommitReader(EventFiles eventFiles, long after, long last)
{
    private const long BatchBytes = 64 * 1024 * 1024;

    /// <summary>The last position to read.</summary>
    public long Last => last;

    /// <summary>The problem at which <see cref="ReadWhole"/> stopped; null when the appends are whole up to the last position.</summary>
    public FileProblem? Problem { get; private set; }

    /// <summary>Returns the whole appends in batches, up to the first one that is not whole.</summary>
    public IEnumerable<List<StoredEvent>> ReadWhole()
    {
        var whole = new List<StoredEvent>();
        var commit = new List<StoredEvent>();
        var bytes = 0L;
        foreach (var (position, reading) in eventFiles.Batches.ReadRange(after + 1, last, eventFiles.Read))
        {
            Problem = Judge(position, reading, commit);
            if (Problem is not null)
                break;
            commit.Add(reading.Stored!);
            bytes += reading.Stored!.Content.Bytes;
            if (position != reading.Stored.Commit.Last)
                continue;
            whole.AddRange(commit);
            commit.Clear();
            if (whole.Count < eventFiles.Batches.FilesMax && bytes < BatchBytes)
                continue;
            yield return whole;
            whole = [];
            bytes = 0;
        }
        if (whole.Count > 0)
            yield return whole;
        if (Problem is null && commit.Count > 0)
            Problem = new FileProblem(last + 1, "is missing");
    }

    private static FileProblem? Judge(long position, EventFileReading reading, List<StoredEvent> commit)
    {
        if (reading.Stored is not { } stored)
            return new FileProblem(position, reading.Problem!);
        return (commit.Count == 0 ? stored.Commit.First == position : stored.IsOfSameAppend(commit[0]))
            ? null
            : new FileProblem(position, "belongs to another commit than its neighbours say");
    }
}
