using Opossum.FileSystem;

namespace Opossum.Storage.Ledger;

/// <summary>Reads many event files in parallel, in batches of bounded size in memory.</summary>
internal sealed class EventFileBatches(StoreFolder folder)
{
    private readonly IFileSystem fileSystem = folder.FileSystem;

    /// <summary>The most files of a batch; fewer where folders have fewer, so that tests have stores of several batches.</summary>
    public int FilesMax { get; } = Math.Min(2_000, folder.Layout.ShardPositions);

    // Once a batch has read this many bytes of data, it starts no further file.
    private const long BytesMax = 64 * 1024 * 1024;

    /// <summary>Reads the files of one batch of positions, at least one.</summary>
    /// <param name="start">The place in the list where the batch begins.</param>
    public List<EventFileReading> Read(IReadOnlyList<long> positions, int start, Func<long, EventFileReading> read)
    {
        var some = new EventFileReading?[Math.Min(FilesMax, positions.Count - start)];
        var bytes = 0L;
        fileSystem.ForEach(some.Length, at =>
        {
            if (at > 0 && Interlocked.Read(ref bytes) >= BytesMax)
                return;
            var each = read(positions[start + at]);
            some[at] = each;
            Interlocked.Add(ref bytes, each.Stored?.Content.Bytes ?? 0);
        });
        return [.. some.TakeWhile(static each => each is not null).Select(static each => each!.Value)];
    }

    /// <summary>Reads the files of a range of positions, in order.</summary>
    public IEnumerable<(long Position, EventFileReading Reading)> ReadRange(long first, long last, Func<long, EventFileReading> read)
    {
        for (var next = first; next <= last;)
        {
            var positions = new long[Math.Min(FilesMax, last - next + 1)];
            for (var at = 0; at < positions.Length; at++)
                positions[at] = next + at;
            foreach (var reading in Read(positions, 0, read))
                yield return (next++, reading);
        }
    }
}
