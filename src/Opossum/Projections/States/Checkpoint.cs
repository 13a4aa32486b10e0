using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Projections.States;

/// <summary>Up to where the events count in the states of a generation.</summary>
/// <param name="Last">The last event that counts, with all before it.</param>
/// <param name="Tags">The tag log that belongs to these states, the segment being written last; null: there is none that is whole.</param>
internal sealed record Checkpoint(EventAt Last, IReadOnlyList<TagSegment>? Tags)
{
    // Less than what a disk writes as one.
    private const int SlotLength = 512;
    private const int Slots = 2;

    /// <summary>Writes a file that is there wholly or not at all, and makes it durable.</summary>
    public void Create(IFileSystem fileSystem, string path)
    {
        var bytes = new byte[SlotLength * Slots];
        for (var slot = 0; slot < Slots; slot++)
            ToJson().CopyTo(bytes.AsSpan(slot * SlotLength));
        ProjectionFile.Write(fileSystem, path, bytes);
    }

    /// <summary>
    /// Writes over one of the file's two slots, in turn: a crash in the midst of it leaves the other. Not flushed: an older checkpoint costs
    /// work, no event.
    /// </summary>
    /// <exception cref="LeadershipLostException">The file is not there: another process has taken the lead.</exception>
    public void Overwrite(IFileSystem fileSystem, string path, long turn)
    {
        using var file = fileSystem.Open(path, FileOpening.ReadWrite) ?? throw new LeadershipLostException($"{path} is no longer there: another process has taken the lead.");
        file.Write(ToJson(), turn % Slots * SlotLength);
    }

    /// <summary>The checkpoint of the newest term; null when there is none. For those who lead, and for a <see cref="PatientLook"/>.</summary>
    /// <param name="fileSystem">The file system.</param>
    /// <param name="generation">Whose checkpoint.</param>
    /// <param name="names">What lies in the generation's folder.</param>
    /// <exception cref="FileSystemException">A new leader has put another in its place meanwhile, or it cannot be read.</exception>
    /// <exception cref="DamagedFileException">It is damaged.</exception>
    public static Checkpoint? ReadNewest(IFileSystem fileSystem, Generation generation, List<string> names)
    {
        // Order matters: of an older term's file, which a power cut can bring back, nothing may be believed.
        var newest = -1L;
        foreach (var name in names)
        {
            if (Generation.TryParseCheckpoint(name, out var term))
                newest = Math.Max(newest, term);
        }
        if (newest < 0)
            return null;
        var path = generation.CheckpointFile(newest);
        return ProjectionFile.Read(fileSystem, path, SlotLength * Slots, Parse) ?? throw PatientLook.Gone(path);
    }

    /// <summary>The valid slot of the higher position, or what is wrong with the other when none is valid.</summary>
    public static (Checkpoint? Newest, string? Problem) Parse(byte[] file)
    {
        var newest = (Checkpoint?)null;
        var problem = "is no checkpoint: it is too short";
        for (var start = 0; start + SlotLength <= file.Length; start += SlotLength)
        {
            var read = ProjectionFile.Parse(file.AsSpan(start, SlotLength).TrimEnd((byte)' '), Of, out var wrong);
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
            new EventAt(ProjectionFile.GetPosition(members, "position"), members.GetProperty("id").GetGuid()),
            tags.ValueKind == JsonValueKind.Null ? null : [.. tags.EnumerateArray().Select(SegmentOf)]);
    }

    private static TagSegment SegmentOf(JsonElement members) =>
        members.GetArrayLength() == 2 && (members[0].GetInt64(), members[1].GetInt64()) is (>= 0, >= 0) and var (number, length) ? new TagSegment(number, length) : throw new FormatException("Its tags are no list of segments.");

    private byte[] ToJson()
    {
        var buffer = new ArrayBufferWriter<byte>(SlotLength);
        var tags = Tags is null ? "null" : $"[{string.Join(", ", Tags.Select(static each => string.Create(CultureInfo.InvariantCulture, $"[{each.Number}, {each.Length}]")))}]";
        Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{{\n  \"position\": {Last.Position},\n  \"id\": \"{Last.Id:D}\",\n  \"tags\": {tags}"), buffer);
        ChecksumTrailer.Append(buffer, 0);
        var slot = new byte[SlotLength];
        slot.AsSpan().Fill((byte)' ');
        buffer.WrittenSpan.CopyTo(slot);
        return slot;
    }
}
