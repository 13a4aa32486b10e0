using System.Buffers;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;

namespace Opossum.Projections.Building;

/// <summary>The tag log of a generation, as the leader keeps it: the segments of former terms, and the segment of this term.</summary>
internal sealed class LedTagLog
{
    // The list of segments must fit into a checkpoint.
    private const int FormerMax = 7;

    private readonly List<TagSegment> former;
    private readonly long lengthMax;
    private TagSegment own;

    private LedTagLog(List<TagSegment> former, long number, long lengthMax)
    {
        this.former = former;
        this.lengthMax = lengthMax;
        own = new TagSegment(number, 0);
    }

    public IReadOnlyList<TagSegment> Segments => [.. former, own];

    /// <summary>Whether the log is long enough for the next term to merge it.</summary>
    public bool IsLong => own.Length > lengthMax;

    /// <summary>The segment that this term writes.</summary>
    public string PathIn(Generation generation) => generation.TagLog(own.Number);

    /// <summary>Takes the log over: merges the segments when there are many.</summary>
    /// <param name="checkpoint">The last position up to which the states are durable.</param>
    /// <exception cref="DamagedFileException">A segment to merge is damaged or missing.</exception>
    public static LedTagLog TakeOver(ProjectionHost host, Generation generation, Leadership leadership, long checkpoint,
        IReadOnlyList<TagSegment> segments, CancellationToken cancellationToken)
    {
        var lengthMax = host.Sizes.TagSegmentBytesMax;
        var former = segments.ToList();
        if (former.Count > 0)
            former[^1] = WithTail(host, generation, former[^1]);
        former.RemoveAll(static each => each.Length == 0);
        if (former.Count >= FormerMax
            || (former.Count > 1 && former.Skip(1).Sum(static each => each.Length) >= Math.Max(lengthMax, former[0].Length)))
        {
            former = [Merge(host, generation, leadership.TakeNumber(), checkpoint, former, cancellationToken)];
        }

        return new LedTagLog(former, leadership.TakeNumber(), lengthMax);
    }

    /// <summary>Appends lines to this term's segment. They are valid once they are flushed and the checkpoint covers them.</summary>
    public IFile Append(IFileSystem fileSystem, Generation generation, ReadOnlySpan<byte> lines)
    {
        var file = fileSystem.Open(PathIn(generation), FileOpening.ReadWriteOrCreate)!;
        try
        {
            file.Write(lines, own.Length);
        }
        catch
        {
            file.Dispose();
            throw;
        }
        own = own with { Length = own.Length + lines.Length };
        return file;
    }

    /// <summary>Deletes the unused segments. Call it only once the checkpoint without them is durable.</summary>
    public static void RemoveOthers(IFileSystem fileSystem, Generation generation, IEnumerable<string> names, IReadOnlyList<TagSegment>? segments)
    {
        foreach (var name in names)
        {
            if (Generation.TryParseTagLog(name, out var number) && segments?.Any(each => each.Number == number) != true)
                fileSystem.Delete(generation.TagLog(number));
        }
    }

    // The lines that the last term wrote after its last checkpoint belong to states that may exist. Intact lines are valid; the states of the other
    // lines are written again, and their tags with them.
    private static TagSegment WithTail(ProjectionHost host, Generation generation, TagSegment segment)
    {
        var path = generation.TagLog(segment.Number);
        var read = TagLog.Read(host.FileSystem, path, segment.Length, long.MaxValue, host.Sizes.TagLogBytesAtOnce, static (_, _, _) => { });
        if (read is not { End: var end } || end == segment.Length)
            return segment;
        using var file = host.FileSystem.Open(path, FileOpening.ReadWrite);
        file?.Flush();
        return segment with { Length = end };
    }

    private static TagSegment Merge(ProjectionHost host, Generation generation, long number, long checkpoint, List<TagSegment> segments,
        CancellationToken cancellationToken)
    {
        var last = new Dictionary<(string Key, Tag Tag), long>();
        // The states that have gained tags since the last merge.
        var changed = new HashSet<string>(StringComparer.Ordinal);
        foreach (var segment in segments)
        {
            var path = generation.TagLog(segment.Number);
            var read =
                TagLog.Read(host.FileSystem, path, 0, segment.Length, host.Sizes.TagLogBytesAtOnce, (key, position, tags) =>
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    if (segment != segments[0])
                        changed.Add(key);
                    Array.ForEach(tags, tag => last[(key, tag)] = Math.Max(position, last.GetValueOrDefault((key, tag))));
                });
            if (read?.End != segment.Length)
                throw new DamagedFileException(path, read is null ? "is missing" : $"is damaged after its first {read?.End} bytes");
        }
        var states = new StatesOfMerge(host, generation, checkpoint);
        var merged = new ArrayBufferWriter<byte>(64 * 1024);
        foreach (var bucket in last.GroupBy(static each => Generation.BucketOf(each.Key.Key)))
        {
            foreach (var state in bucket.GroupBy(static each => each.Key.Key))
            {
                cancellationToken.ThrowIfCancellationRequested();
                var tags = states.FindTags(bucket.Key, state.Key, changed.Contains(state.Key));
                foreach (var line in state.Where(each => each.Value > checkpoint || tags?.Contains(each.Key.Tag) != false)
                    .GroupBy(static each => each.Value))
                {
                    TagLog.WriteLine(merged, state.Key, line.Key, [.. line.Select(static each => each.Key.Tag)]);
                }
            }
        }
        using (var file = DurableFile.CreateAgain(host.FileSystem, generation.TagLog(number)))
        {
            file.Write(merged.WrittenSpan, 0);
            file.Flush();
        }
        host.FileSystem.FlushFolder(generation.Folder);
        return new TagSegment(number, merged.WrittenCount);
    }

    /// <summary>The tags that the files of states have, so that a merged log does not grow with what states have had.</summary>
    private sealed class StatesOfMerge(ProjectionHost host, Generation generation, long checkpoint)
    {
        private readonly StateFiles<object> files = new(host.FileSystem, static (ref reader, _, _) =>
        {
            reader.Read();
            reader.Skip();
            return null;
        });
        private int listed = -1;
        private HashSet<string> names = [];

        /// <summary>The tags of a state; null: they are not certain, and so all that it has had may be needed.</summary>
        /// <param name="isChanged">Whether its file is worth reading.</param>
        public Tag[]? FindTags(int bucket, string key, bool isChanged)
        {
            // A name may be missing for a while on a share, where all are kept.
            if (host.Volume.ViewMayBeStale)
                return null;
            if (bucket != listed)
                List(bucket);
            if (!names.Contains(Generation.StateFileName(key)))
                return [];
            if (!isChanged)
                return null;
            try
            {
                // A power cut may take back a state that is ahead of the checkpoint.
                return files.Read(generation, key) is { } stored && stored.Position <= checkpoint ? stored.Tags : null;
            }
            catch (Exception e) when (e is DamagedFileException or FileSystemException)
            {
                return null;
            }
        }

        private void List(int bucket)
        {
            names = host.FileSystem.GetKind(generation.Bucket(bucket)) == EntryKind.Missing ? [] : [.. files.List(generation, bucket)];
            listed = bucket;
        }
    }
}
