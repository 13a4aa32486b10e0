using Opossum.FileSystem;
using Opossum.Serialization;
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
        var copy = PackedEvents.ReadStored(PackedEvents.ReadRecord(view, position), position, view.Contents);
        if (copy is not null && EventFile.TextOfCopy(copy) is { } text)
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
            return eventFiles.ReadLine(position, out problem) is { } line ? OfLine(line) : null;
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            problem = e.OtherKind;
            return null;
        }
    }

    /// <summary>The leaf of a whole event file.</summary>
    public static TreeHash Of(ReadOnlySpan<byte> file) => OfLine(CanonicalText.Of(file));

    private static TreeHash OfLine(ReadOnlySpan<byte> line)
    {
        var leaf = new byte[1 + ChecksumTrailer.CanonicalStart(line)];
        leaf[0] = TreeHash.LeafPrefix;
        line[..(leaf.Length - 1)].CopyTo(leaf.AsSpan(1));
        return TreeHash.OfLeaf(leaf);
    }
}
