using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Proof;

/// <summary>
/// Hashes events as leaves of the tree. A leaf is an event's canonical text up to its checksum; a redacted event keeps the leaf of its text before.
/// </summary>
internal sealed class LeafSource(EventFiles eventFiles)
{
    /// <summary>The leaf of a position: from its line, or from its file where the line is missing or damaged.</summary>
    /// <exception cref="StoreDamagedException">Neither is valid.</exception>
    public TreeHash Of(IndexView view, long position)
    {
        var line = view.ReadLine(position);
        if (EventLine.ChecksumOf(line, position) is not null)
        {
            return RedactionRecord.MayBeIn(line) && EventLine.ReadStored(line, position) is { } stored && KeptBy(stored, out _) is { } kept
                ? kept
                : OfLine(line);
        }
        return OfFile(position, out var problem)?.Hash ?? throw new StoreDamagedException(eventFiles.PathOf(position), position,
            $"The event at position {position} cannot be part of the proof: {eventFiles.PathOf(position)} {problem}. {StoreCheck.InWords} names "
                + "the remedy.");
    }

    /// <summary>The leaf of a position as its file has it now.</summary>
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
    public static TreeHash Of(ReadOnlySpan<byte> file) => OfLine(CanonicalText.Of(file));

    private static TreeHash OfLine(ReadOnlySpan<byte> line)
    {
        var leaf = new byte[1 + ChecksumTrailer.CanonicalStart(line)];
        leaf[0] = TreeHash.LeafPrefix;
        line[..(leaf.Length - 1)].CopyTo(leaf.AsSpan(1));
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
