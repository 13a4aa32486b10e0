using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Proof;

/// <summary>Hashes events as leaves of the tree. A leaf is an event's canonical text up to its checksum.</summary>
internal sealed class LeafSource(EventFiles eventFiles)
{
    /// <summary>The leaf of a position: from its packed copy, or from its file where the copy is damaged or lacks a member.</summary>
    /// <exception cref="StoreDamagedException">Neither is valid.</exception>
    public TreeHash Of(IndexView view, long position)
    {
        if (ReadCopy(view, position) is { } copy && EventFile.TextOfCopy(copy) is { } text)
            return Of(text);
        return OfFile(position, out var problem) ?? throw new StoreDamagedException(eventFiles.PathOf(position), position,
            $"The event at position {position} cannot be part of the proof: {eventFiles.PathOf(position)} {problem}. {nameof(StoreCheck)} names "
                + "the remedy.");
    }

    /// <summary>The leaf of a position as its file has it now.</summary>
    /// <param name="position">The position.</param>
    /// <param name="problem">What is wrong with the file, as the end of a sentence that begins with its path; null when it is valid.</param>
    public TreeHash? OfFile(long position, out string? problem)
    {
        try
        {
            if (eventFiles.ReadBytes(position) is { } bytes)
                return eventFiles.Read(bytes, position, out problem) is null ? null : Of(bytes);
            problem = "is missing";
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            problem = e.OtherKind;
        }
        return null;
    }

    /// <summary>The leaf of a whole event file.</summary>
    public static TreeHash Of(ReadOnlySpan<byte> file)
    {
        var canonical = CanonicalText.Of(file);
        var leaf = new byte[1 + ChecksumTrailer.CanonicalStart(canonical)];
        leaf[0] = TreeHash.LeafPrefix;
        canonical.AsSpan(0, leaf.Length - 1).CopyTo(leaf.AsSpan(1));
        return TreeHash.OfLeaf(leaf);
    }

    private static StoredEvent? ReadCopy(IndexView view, long position)
    {
        if (view.Packed is not { } packed)
            return null;
        var start = view.Contents.PackedStart((int)position);
        var length = view.Contents.PackedEnd((int)position) - start;
        if (length is < 1 or > StoreLayout.PackedCopyBytesMax)
            return null;
        var record = new byte[length];
        return packed.Read(record, start) == length ? PackedEvents.ReadStored(record, position, view.Contents) : null;
    }
}
