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
    // So that the file is always as long, and less than what a disk writes as one.
    private const int PositionWidth = 20;

    /// <summary>Writes over the file, or creates it.</summary>
    public void Write(IFileSystem fileSystem, string path, bool flush = false)
    {
        using var file = fileSystem.Open(path, FileOpening.ReadWriteOrCreate)!;
        file.Write(ToJson(), 0);
        if (flush)
            file.Flush();
    }

    /// <summary>The newest valid checkpoint of a generation; null when there is none.</summary>
    public static Checkpoint? ReadNewest(IFileSystem fileSystem, Generation generation, IEnumerable<string> names)
    {
        var terms = new List<long>();
        foreach (var name in names)
        {
            if (Generation.TryParseCheckpoint(name, out var term))
                terms.Add(term);
        }
        foreach (var term in terms.OrderDescending())
        {
            if (Read(fileSystem, generation.CheckpointFile(term)) is { } checkpoint)
                return checkpoint;
        }
        return null;
    }

    /// <summary>Null: it is not there, or not valid: somebody is writing it.</summary>
    public static Checkpoint? Read(IFileSystem fileSystem, string path) =>
        ProjectionFile.Read(fileSystem, path) is { } json ? new Checkpoint(json.GetProperty("position").GetInt64(), json.GetProperty("id").GetGuid()) : null;

    private ReadOnlySpan<byte> ToJson()
    {
        var buffer = new ArrayBufferWriter<byte>(256);
        var position = (Position.ToString(CultureInfo.InvariantCulture) + ',').PadRight(PositionWidth);
        Encoding.UTF8.GetBytes($"{{\n  \"position\": {position}\n  \"id\": \"{EventId:D}\"", buffer);
        ChecksumTrailer.Append(buffer, 0);
        return buffer.WrittenSpan;
    }
}
