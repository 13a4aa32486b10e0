using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Serialization;

namespace Opossum.Projections.States;

/// <summary>The position up to which events are applied to the states of a generation.</summary>
/// <param name="Last">The last applied event; all events before it are applied too.</param>
/// <param name="Tags">The tag log of these states, with the segment that is being written last; null: there is no intact log.</param>
internal sealed record Checkpoint(EventAt Last, IReadOnlyList<TagSegment>? Tags)
{
    // Smaller than the unit that a disk writes as a whole.
    private const int SlotLength = 512;
    private const int Slots = 2;

    /// <summary>Creates the file atomically and makes it durable.</summary>
    public void Create(IFileSystem fileSystem, string path)
    {
        var bytes = new byte[SlotLength * Slots];
        for (var slot = 0; slot < Slots; slot++)
            ToJson().CopyTo(bytes.AsSpan(slot * SlotLength));
        DurableFile.Replace(fileSystem, path, bytes);
    }

    /// <summary>
    /// Overwrites the file's two slots in turn: a crash during a write leaves the other slot intact. Not flushed: losing the newer checkpoint costs
    /// work, but no event.
    /// </summary>
    /// <exception cref="LeadershipLostException">The file is missing: another process has taken the lead.</exception>
    public void Overwrite(IFileSystem fileSystem, string path, long turn)
    {
        using var file = fileSystem.Open(path, FileOpening.ReadWrite)
            ?? throw new LeadershipLostException($"{path} no longer exists: another process has taken the lead.");
        file.Write(ToJson(), turn % Slots * SlotLength);
    }

    /// <summary>The checkpoint of the newest term; null when there is none. For the leader, and for a <see cref="PatientLook"/>.</summary>
    /// <param name="names">The names in the generation's folder.</param>
    /// <exception cref="FileSystemException">A new leader has replaced it meanwhile, or it cannot be read.</exception>
    /// <exception cref="DamagedFileException">The checkpoint is damaged.</exception>
    public static Checkpoint? ReadNewest(IFileSystem fileSystem, Generation generation, List<string> names)
    {
        // Of the newest term only: a power cut can bring back the file of an older one, which must not be used.
        if (names.Max(Generation.TermOf) is not { } newest)
            return null;
        var path = generation.CheckpointFile(newest);
        return CheckedFile.Read(fileSystem, path, SlotLength * Slots, Parse) ?? throw PatientLook.Gone(path);
    }

    /// <summary>The valid slot with the higher position, or the problem when neither slot is valid.</summary>
    public static (Checkpoint? Newest, string? Problem) Parse(byte[] file)
    {
        var newest = (Checkpoint?)null;
        var problem = "is not a checkpoint: it is too short";
        for (var start = 0; start + SlotLength <= file.Length; start += SlotLength)
        {
            var read = JsonFile.ParseChecked(file.AsSpan(start, SlotLength).TrimEnd((byte)' '), Of, out var wrong);
            if (read is not null && !(read.Last.Position <= newest?.Last.Position))
                newest = read;
            problem = wrong ?? problem;
        }
        return newest is null ? (null, problem) : (newest, null);
    }

    private static Checkpoint Of(JsonElement members)
    {
        var tags = members.GetProperty("tags");
        return new Checkpoint(
            new EventAt(CheckedFile.GetPosition(members, "position"), members.GetProperty("id").GetGuid()),
            tags.ValueKind == JsonValueKind.Null ? null : [.. tags.EnumerateArray().Select(SegmentOf)]);
    }

    private static TagSegment SegmentOf(JsonElement members) =>
        members.GetArrayLength() == 2 && (members[0].GetInt64(), members[1].GetInt64()) is ( >= 0, >= 0) and var (number, length)
            ? new TagSegment(number, length)
            : throw new FormatException("Its tags are not a list of segments.");

    private byte[] ToJson()
    {
        var buffer = new ArrayBufferWriter<byte>(SlotLength);
        var tags = Tags is null
            ? "null"
            : $"[{string.Join(", ", Tags.Select(static each => string.Create(CultureInfo.InvariantCulture, $"[{each.Number}, {each.Length}]")))}]";
        Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture,
            $"{{\n  \"position\": {Last.Position},\n  \"id\": \"{Last.Id:D}\",\n  \"tags\": {tags}"), buffer);
        ChecksumTrailer.Append(buffer, 0);
        var slot = new byte[SlotLength];
        slot.AsSpan().Fill((byte)' ');
        buffer.WrittenSpan.CopyTo(slot);
        return slot;
    }
}
