using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Log;

namespace Opossum.Storage.Check;

/// <summary>Compares the index and the lines byte by byte with what the event files give, as the check reads them.</summary>
internal sealed class IndexComparison(StoreFolder folder, IFile index, TagRuleSet rules, byte[] header, long indexLength, Action<StoreFinding> find)
    : IDisposable
{
    private readonly StoreLayout layout = folder.Layout;
    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly EventLines lines = new();
    private readonly IndexEncoder encoder = new();
    private long head;
    private uint chain = IndexHeader.FirstChain(header);
    private long indexPlace = header.Length;
    private long shard = -1;
    private IFile? segment;
    private long linePlace;
    private bool isOnTrack = true;

    /// <summary>Begins a comparison. Null, with a finding, when the index file is missing or is not the index of this store.</summary>
    public static IndexComparison? Open(StoreFolder folder, IFile? index, long indexLength, Action<StoreFinding> find)
    {
        var layout = folder.Layout;
        if (index is not null && IndexHeader.FindRules(index, folder.Id!.Value) is { } rules)
            return new IndexComparison(folder, index, rules, IndexHeader.OfIndex(folder.Id!.Value, rules), indexLength, find);
        find(index is null
            ? StoreFinding.Of(FindingKind.IndexMismatch, layout.IndexFile,
                $"{layout.IndexFile} is missing; the next open rebuilds the index", Remedy.OpenStore)
            : StoreFinding.Of(FindingKind.IndexMismatch, layout.Index,
                $"the index in {layout.Index} has another format or belongs to another store; the next open rebuilds it",
                Remedy.OpenStore));
        return null;
    }

    /// <summary>Stops the comparison: an event file or commit is bad, so what the index should hold from here on is unknown.</summary>
    public void LoseTrack() => isOnTrack = false;

    /// <summary>Compares the frame and the lines of a whole commit that directly follows the ones compared so far.</summary>
    public void CheckFrame(List<StoredEvent> commit)
    {
        if (!isOnTrack || commit[0].Position != head + 1)
            return;
        lines.Encode(commit);
        var checksum = encoder.Encode(commit, lines, chain, rules);
        if (!Holds(index, indexPlace, encoder.Frames.Written))
        {
            if (indexPlace + encoder.Frames.Length > indexLength || !HasMore())
            {
                Find(commit[0].Position, $"{layout.IndexFile} ends before position {commit[0].Position}; the next open or append adds it",
                    Remedy.OpenStore);
                return;
            }
            Find(commit[0].Position,
                $"{layout.IndexFile} differs at byte {indexPlace} from what the event files give for position {commit[0].Position}",
                Remedy.RebuildIndex);
            return;
        }
        for (var at = 0; at < commit.Count; at++)
            CheckLine(commit[at].Position, lines.Written.Slice(lines.StartOf(at), lines.LengthOf(at)));
        head = commit[^1].Position;
        chain = checksum;
        indexPlace += encoder.Frames.Length;
    }

    /// <summary>Reports frames after the last event file.</summary>
    /// <param name="lastPosition">The last position that has an event file.</param>
    public void CheckEnd(long lastPosition, RemedyChoice remedies)
    {
        if (isOnTrack && HasMore())
        {
            Find(lastPosition
                + 1, $"{layout.IndexFile} has more at byte {indexPlace}, after position {lastPosition}, the last that has an event file",
                remedies.Of(lastPosition + 1, lastPosition + 1));
        }
    }

    // Zeros are space reserved for a frame; the next frame is written there.
    private bool HasMore()
    {
        var rest = new byte[(int)Math.Clamp(indexLength - indexPlace, 0, 64 * 1024)];
        return rest.AsSpan(0, index.Read(rest, indexPlace)).ContainsAnyExcept((byte)0);
    }

    // The line of a sealed folder's event is in its sealed file, which is where the event was read.
    private void CheckLine(long position, ReadOnlySpan<byte> line)
    {
        if (layout.ShardOf(position) != shard)
            Begin(layout.ShardOf(position));
        if (segment is not null && !Holds(segment, linePlace, line))
        {
            FindInSegment(position, $"the line of position {position} in {layout.Segment(shard)} differs from the event file",
                Remedy.RebuildIndex);
        }
        linePlace += line.Length;
    }

    private void Begin(long next)
    {
        (shard, linePlace) = (next, 0);
        segment?.Dispose();
        segment = null;
        if (fileSystem.GetKind(layout.SealedFile(shard)) == EntryKind.File)
            return;
        segment = fileSystem.Open(layout.Segment(shard), FileOpening.Read);
        if (segment is null)
            FindInSegment(null, $"{layout.Segment(shard)} is missing; the next open rebuilds the index", Remedy.OpenStore);
    }

    private void FindInSegment(long? position, string message, Remedy remedy) =>
        find(StoreFinding.Of(FindingKind.IndexMismatch, layout.Segment(shard), message, remedy, position));

    public void Dispose() => segment?.Dispose();

    private void Find(long position, string message, Remedy remedy)
    {
        isOnTrack = false;
        find(StoreFinding.Of(FindingKind.IndexMismatch, layout.IndexFile, message, remedy, position));
    }

    private static bool Holds(IFile file, long place, ReadOnlySpan<byte> bytes)
    {
        var there = new byte[bytes.Length];
        return file.Read(there, place) == there.Length && bytes.SequenceEqual(there);
    }
}
