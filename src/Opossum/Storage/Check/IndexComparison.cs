using Opossum.FileSystem;
using Opossum.Storage.Index;

namespace Opossum.Storage.Check;

/// <summary>Compares the index files byte by byte with what the event files give, as the check reads them.</summary>
internal sealed class IndexComparison : IDisposable
{
    private readonly StoreLayout layout;
    private readonly Action<StoreFinding> find;
    private readonly IFile index;
    private readonly IFile packed;
    private readonly int firstPacked;
    private readonly long indexLength;
    private readonly IndexEncoder encoder = new();
    private long head;
    private uint chain;
    private long indexPlace = IndexHeader.Length;
    private long packedPlace = PackedEvents.HeaderLength;
    private bool isOnTrack = true;

    private IndexComparison(StoreFolder folder, IFile index, IFile packed, long indexLength, Action<StoreFinding> find)
    {
        layout = folder.Layout;
        chain = IndexHeader.FirstChain(folder.Id!.Value);
        this.index = index;
        this.packed = packed;
        firstPacked = IndexHeader.ReadFirstPacked(packed, folder.Id!.Value)!.Value;
        this.indexLength = indexLength;
        this.find = find;
    }

    /// <summary>Opens the index files. Null, with a finding, when they are missing or are not the index of this store.</summary>
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
            var comparison = new IndexComparison(folder, index!, packed!, indexLength, find);
            index = packed = null;
            return comparison;
        }
        finally
        {
            index?.Dispose();
            packed?.Dispose();
        }
    }

    /// <summary>Stops the comparison: an event file or commit is bad, so what the index should hold from here on is unknown.</summary>
    public void LoseTrack() => isOnTrack = false;

    /// <summary>Compares the frame and the packed copies of a whole commit that directly follows the ones compared so far.</summary>
    public void CheckFrame(List<StoredEvent> commit)
    {
        if (!isOnTrack || commit[0].Position != head + 1)
            return;
        var checksum = encoder.Encode(commit, chain);
        if (indexPlace + encoder.Frames.Length > indexLength)
        {
            Find(commit[0].Position, $"{layout.IndexFile} ends before position {commit[0].Position}; the next open or append adds it",
                StoreRemedy.OpenStore);
            return;
        }
        if (!Holds(index, indexPlace, encoder.Frames.Written))
        {
            Find(commit[0].Position,
                $"{layout.IndexFile} differs at byte {indexPlace} from what the event files give for position {commit[0].Position}",
                StoreRemedy.RebuildIndex);
            return;
        }
        var copies = encoder.Packed.Written[PackedEvents.LengthBefore(encoder.Packed.Written, commit[0].Position, firstPacked)..];
        if (!Holds(packed, packedPlace, copies))
        {
            find(new StoreFinding(StoreFindingKind.IndexMismatch, layout.PackedFile, commit[0].Position,
                $"the packed copy at position {commit[0].Position} in {layout.PackedFile} differs from the event file", StoreRemedy.RebuildIndex));
        }

        head = commit[^1].Position;
        chain = checksum;
        indexPlace += encoder.Frames.Length;
        packedPlace += copies.Length;
    }

    /// <summary>Reports frames after the last event file.</summary>
    /// <param name="lastPosition">The last position that has an event file.</param>
    /// <param name="remedies">Chooses the remedy.</param>
    public void CheckEnd(long lastPosition, RemedyChoice remedies)
    {
        if (!isOnTrack)
            return;
        var rest = new byte[(int)Math.Clamp(indexLength - indexPlace, 0, 64 * 1024)];
        var read = index.Read(rest, indexPlace);
        // Zeros are space reserved for a frame; the next frame is written there.
        if (rest.AsSpan(0, read).ContainsAnyExcept((byte)0))
        {
            Find(lastPosition
                + 1, $"{layout.IndexFile} has more at byte {indexPlace}, after position {lastPosition}, the last that has an event file",
                remedies.Of(lastPosition + 1, lastPosition + 1));
        }
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
        {
            return new StoreFinding(StoreFindingKind.IndexMismatch, missing, null, $"{missing} is missing; the next open rebuilds the index",
                StoreRemedy.OpenStore);
        }

        if (IndexHeader.IsOfIndex(index!, storeId) && IndexHeader.ReadFirstPacked(packed!, storeId) is not null)
            return null;
        return new StoreFinding(StoreFindingKind.IndexMismatch, layout.Index, null,
            $"the index files in {layout.Index} have another format or belong to another store; the next open rebuilds them", StoreRemedy.OpenStore);
    }

    private static bool Holds(IFile file, long place, ReadOnlySpan<byte> bytes)
    {
        var there = new byte[bytes.Length];
        return file.Read(there, place) == there.Length && bytes.SequenceEqual(there);
    }
}
