using System.Buffers;
using System.Globalization;
using System.Text;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Projections;

/// <summary>Up to where the events count in the states of a generation.</summary>
/// <param name="Position">Every event up to it counts.</param>
/// <param name="EventId">The id of the event at that position, by which another store's events are told; empty at position 0.</param>
internal readonly record struct Checkpoint(long Position, Guid EventId)
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

    /// <summary>The checkpoint of the newest term; null when there is none, or it is damaged. For those who lead, and for a <see cref="PatientLook"/>.</summary>
    /// <exception cref="FileSystemException">A new leader has put another in its place meanwhile, or it cannot be read.</exception>
    public static Checkpoint? ReadNewest(IFileSystem fileSystem, Generation generation)
    {
        // Order matters: of an older term's file, which a power cut can bring back, nothing may be believed.
        var newest = -1L;
        foreach (var name in fileSystem.List(generation.Folder))
        {
            if (Generation.TryParseCheckpoint(name, out var term))
                newest = Math.Max(newest, term);
        }
        return newest < 0 ? null : Read(fileSystem, generation.CheckpointFile(newest));
    }

    private static Checkpoint? Read(IFileSystem fileSystem, string path)
    {
        var bytes = ProjectionFile.ReadBytes(fileSystem, path) ?? throw PatientLook.Gone(path);
        Checkpoint? newest = null;
        for (var start = 0; start + SlotLength <= bytes.Length; start += SlotLength)
        {
            if (ProjectionFile.Parse(bytes.AsSpan(start, SlotLength).TrimEnd((byte)' ')) is { } json && json.GetProperty("position").GetInt64() is var position && !(position <= newest?.Position))
                newest = new Checkpoint(position, json.GetProperty("id").GetGuid());
        }
        return newest;
    }

    private byte[] ToJson()
    {
        var buffer = new ArrayBufferWriter<byte>(SlotLength);
        Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{{\n  \"position\": {Position},\n  \"id\": \"{EventId:D}\""), buffer);
        ChecksumTrailer.Append(buffer, 0);
        var slot = new byte[SlotLength];
        slot.AsSpan().Fill((byte)' ');
        buffer.WrittenSpan.CopyTo(slot);
        return slot;
    }
}
