using System.Buffers;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Proof;

/// <summary>
/// Hashes events as leaves of the tree. A leaf is an event's canonical text up to its checksum; a redacted event keeps the leaf of its text before.
/// </summary>
internal sealed class LeafSource(EventFiles eventFiles)
{
    /// <summary>The leaf of a position: from its packed copy, or from its file where the copy is damaged or lacks a member.</summary>
    /// <param name="view">The view of the index.</param>
    /// <param name="position">The position.</param>
    /// <exception cref="StoreDamagedException">Neither is valid.</exception>
    public TreeHash Of(IndexView view, long position) =>
        Of(position, PackedEvents.ReadRecord(view, position), new ArrayBufferWriter<byte>(1024));

    /// <summary>The leaves of neighbouring positions.</summary>
    /// <param name="view">The view of the index.</param>
    /// <param name="first">The first position.</param>
    /// <param name="count">The number of positions.</param>
    /// <exception cref="StoreDamagedException">Neither the copy nor the file of a position is valid.</exception>
    public TreeHash[] Of(IndexView view, long first, int count)
    {
        var hashes = new TreeHash[count];
        var buffer = new ArrayBufferWriter<byte>(4096);
        var (records, start) = (PackedEvents.ReadRecords(view, first, first + count - 1), view.Contents.PackedStart(first));
        for (var position = first; position < first + count; position++)
        {
            var record = records.Length == 0 ? PackedEvents.ReadRecord(view, position)
                : records.AsSpan((int)(view.Contents.PackedStart(position) - start)..(int)(view.Contents.PackedEnd(position) - start));
            hashes[position - first] = Of(position, record, buffer);
        }
        return hashes;
    }

    private TreeHash Of(long position, ReadOnlySpan<byte> record, ArrayBufferWriter<byte> buffer)
    {
        buffer.ResetWrittenCount();
        buffer.Write([TreeHash.LeafPrefix]);
        var copy = PackedEvents.ReadStored(record, position);
        if (copy is not null && EventFile.TryWriteLineOfCopy(buffer, copy))
            return KeptBy(copy, out _) ?? TreeHash.OfLeaf(buffer.WrittenSpan);
        return OfFile(position, out var problem)?.Hash ?? throw new StoreDamagedException(eventFiles.PathOf(position), position,
            $"The event at position {position} cannot be part of the proof: {eventFiles.PathOf(position)} {problem}. {nameof(StoreCheck)} names "
                + "the remedy.");
    }

    /// <summary>The leaf of a position as its file has it now.</summary>
    /// <param name="position">The position.</param>
    /// <param name="problem">What is wrong with the file, as the end of a sentence that begins with its path; null when it is valid.</param>
    public EventLeaf? OfFile(long position, out string? problem)
    {
        try
        {
            problem = "is missing";
            if (eventFiles.ReadBytes(position) is not { } bytes || eventFiles.Read(bytes, position, out problem) is not { } stored)
                return null;
            if (KeptBy(stored, out var record) is not { } kept)
                return new EventLeaf(Of(bytes), null);
            problem = WhatIsStillThere(stored, record!);
            return problem is null ? new EventLeaf(kept, record) : null;
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            problem = e.OtherKind;
            return null;
        }
    }

    /// <summary>The leaf of a whole event file, from its text.</summary>
    public static TreeHash Of(ReadOnlySpan<byte> file)
    {
        var line = CanonicalText.Of(file);
        var leaf = new byte[1 + ChecksumTrailer.CanonicalStart(line)];
        leaf[0] = TreeHash.LeafPrefix;
        line.AsSpan(0, leaf.Length - 1).CopyTo(leaf.AsSpan(1));
        return TreeHash.OfLeaf(leaf);
    }

    /// <summary>The leaf that an event had before it was redacted, as it says itself; null when it was not redacted.</summary>
    public static TreeHash? KeptBy(StoredEvent stored, out RedactionRecord? record)
    {
        record = RedactionRecord.Read(stored.Content.Metadata);
        return record is not null && TreeHash.TryParse(record.Leaf, out var leaf) ? leaf : null;
    }

    // Otherwise anybody could give members other values and call that a redaction.
    private static string? WhatIsStillThere(StoredEvent stored, RedactionRecord record)
    {
        try
        {
            var paths = record.Redactions.SelectMany(static each => each.Members).Select(static member => MemberPath.Parse(member, nameof(member)));
            return new MemberErasure([.. paths]).Erase(stored.Content.Json) is null ? null : "says that members were redacted that have a value";
        }
        catch (ArgumentException e)
        {
            return $"says that members were redacted, but {e.Message}";
        }
    }
}
