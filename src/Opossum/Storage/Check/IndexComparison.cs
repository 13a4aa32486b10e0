using Opossum.FileSystem;
using Opossum.Storage.Index;

namespace Opossum.Storage.Check;

/// <summary>Holds the index files against what the event files give, byte by byte, as the events are met.</summary>
internal sealed class IndexComparison : IDisposable
{
    private readonly StoreLayout layout;
    private readonly Action<StoreFinding> find;
    private readonly IFile index;
    private readonly IFile packed;
    private readonly long indexLength;
    private readonly IndexEncoder encoder = new();
    private readonly IndexFrame frame = new();
    private readonly IndexContents expected = new();
    private long indexPlace = IndexHeader.Length;
    private bool isOnTrack = true;

    private IndexComparison(StoreLayout layout, IFile index, IFile packed, long indexLength, Action<StoreFinding> find)
    {
        this.layout = layout;
        this.index = index;
        this.packed = packed;
        this.indexLength = indexLength;
        this.find = find;
    }

    /// <summary>Opens the index files; null, with a finding, when they are missing or no index of this store.</summary>
    public static IndexComparison? Open(StoreFolder folder, long indexLength, Action<StoreFinding> find)
    {
        var (fileSystem, layout) = (folder.FileSystem, folder.Layout);
        IFile? index = null, packed = null;
        try
        {
            index = fileSystem.Open(layout.IndexFile, FileOpening.Read);
            packed = fileSystem.Open(layout.PackedFile, FileOpening.Read);
            if (FindStrange(layout, folder.Id!.Value, index, packed) is { } strange)
            {
                find(strange);
                return null;
            }
            var comparison = new IndexComparison(layout, index!, packed!, indexLength, find);
            index = packed = null;
            return comparison;
        }
        finally
        {
            index?.Dispose();
            packed?.Dispose();
        }
    }

    /// <summary>An event file or commit was bad: what the index should hold from here on cannot be told.</summary>
    public void LoseTrack() => isOnTrack = false;

    /// <summary>Compares the frame and the packed copies of a whole commit that follows on those before.</summary>
    public void CheckFrame(List<StoredEvent> commit)
    {
        if (!isOnTrack || commit[0].Position != expected.Head + 1)
            return;
        encoder.Encode(commit, expected);
        if (indexPlace + encoder.Frames.Length > indexLength)
        {
            Find(commit[0].Position, $"{layout.IndexFile} ends before position {commit[0].Position}; the next open or append takes it in", StoreRemedy.OpenStore);
            return;
        }
        if (!Holds(index, indexPlace, encoder.Frames.Written))
        {
            Find(commit[0].Position, $"{layout.IndexFile} does not hold at byte {indexPlace} what the event files give for position {commit[0].Position}", StoreRemedy.RebuildIndex);
            return;
        }
        if (!Holds(packed, expected.PackedEnd(expected.Head), encoder.Packed.Written))
            find(new StoreFinding(StoreFindingKind.IndexMismatch, layout.PackedFile, commit[0].Position, $"the packed copy at position {commit[0].Position} in {layout.PackedFile} differs from the event file", StoreRemedy.RebuildIndex));
        frame.TryRead(encoder.Frames.Bytes, 0, encoder.Frames.Length, expected);
        expected.Add(frame);
        indexPlace += encoder.Frames.Length;
    }

    /// <summary>Looks for frames behind the last event file.</summary>
    /// <param name="lastPosition">The last position that has an event file.</param>
    /// <param name="remedies">Chooses what mends it.</param>
    public void CheckEnd(long lastPosition, RemedyChoice remedies)
    {
        if (!isOnTrack)
            return;
        var rest = new byte[(int)Math.Min(indexLength - indexPlace, 64 * 1024)];
        var read = index.Read(rest, indexPlace);
        // Zeros are room that was made for a frame; the next one goes there.
        if (rest.AsSpan(0, read).ContainsAnyExcept((byte)0))
            Find(lastPosition + 1, $"{layout.IndexFile} goes on at byte {indexPlace}, behind position {lastPosition}, the last that has an event file", remedies.Of(lastPosition + 1, lastPosition + 1));
    }

    public void Dispose()
    {
        index.Dispose();
        packed.Dispose();
    }

    private void Find(long position, string message, StoreRemedy remedy)
    {
        isOnTrack = false;
        find(new StoreFinding(StoreFindingKind.IndexMismatch, layout.IndexFile, position, message, remedy));
    }

    private static StoreFinding? FindStrange(StoreLayout layout, Guid storeId, IFile? index, IFile? packed)
    {
        if ((index is null ? layout.IndexFile : packed is null ? layout.PackedFile : null) is { } missing)
            return new StoreFinding(StoreFindingKind.IndexMismatch, missing, null, $"{missing} is missing; the next open builds the index again", StoreRemedy.OpenStore);
        if (Holds(index!, 0, IndexHeader.Make(IndexHeader.OfIndex, storeId)) && Holds(packed!, 0, IndexHeader.Make(IndexHeader.OfPacked, storeId)))
            return null;
        return new StoreFinding(StoreFindingKind.IndexMismatch, layout.Index, null, $"the index files in {layout.Index} are of another format or another store; the next open builds them again", StoreRemedy.OpenStore);
    }

    private static bool Holds(IFile file, long place, ReadOnlySpan<byte> bytes)
    {
        var there = new byte[bytes.Length];
        return file.Read(there, place) == there.Length && bytes.SequenceEqual(there);
    }
}
