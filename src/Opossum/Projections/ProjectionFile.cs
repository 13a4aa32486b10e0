using System.Buffers;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Projections;

/// <summary>The small JSON files of a projection, which are there wholly or not at all.</summary>
internal static class ProjectionFile
{
    private const int LengthAtFirst = 4096;

    private static readonly JsonWriterOptions writerOptions = new() { Encoder = ReadableJsonEncoder.Instance, Indented = true, NewLine = "\n" };

    /// <summary>A writer whose text ends with a checksum by <see cref="Seal"/>.</summary>
    public static Utf8JsonWriter NewWriter(ArrayBufferWriter<byte> buffer) => new(buffer, writerOptions);

    /// <summary>Ends what a writer has written of an object, all but its closing brace.</summary>
    public static void Seal(Utf8JsonWriter writer, ArrayBufferWriter<byte> buffer, int start)
    {
        writer.Flush();
        ChecksumTrailer.Append(buffer, start);
    }

    /// <summary>Writes a file and makes it durable, also when one of that name is there.</summary>
    public static void Write(IFileSystem fileSystem, string path, Action<Utf8JsonWriter> writeMembers)
    {
        var buffer = new ArrayBufferWriter<byte>(LengthAtFirst);
        using var writer = NewWriter(buffer);
        writer.WriteStartObject();
        writeMembers(writer);
        Seal(writer, buffer, 0);
        Write(fileSystem, path, buffer.WrittenSpan);
    }

    /// <inheritdoc cref="Write(IFileSystem, string, Action{Utf8JsonWriter})"/>
    public static void Write(IFileSystem fileSystem, string path, ReadOnlySpan<byte> bytes)
    {
        var staging = ProjectionLayout.StagingOf(path);
        using var file = CreateAnew(fileSystem, staging);
        file.Write(bytes, 0);
        file.Flush();
        fileSystem.Move(staging, path);
        // On a share it is a flush of the file that makes its name durable, elsewhere the folder's.
        file.Flush();
        fileSystem.FlushFolder(FilePath.FolderOf(path)!);
    }

    /// <summary>Creates a file where a crash may have left one.</summary>
    public static IFile CreateAnew(IFileSystem fileSystem, string path)
    {
        if (fileSystem.CreateNew(path) is { } created)
            return created;
        fileSystem.Delete(path);
        return fileSystem.CreateNew(path) ?? throw new FileSystemException(FileError.Other, "create", path, "it was just deleted and is there again");
    }

    /// <summary>Reads a file's members; null when it is not there, or not whole.</summary>
    public static JsonElement? Read(IFileSystem fileSystem, string path) => ReadBytes(fileSystem, path) is { } bytes ? Parse(bytes) : null;

    /// <summary>The members of a file's text; null when it is not whole.</summary>
    public static JsonElement? Parse(ReadOnlySpan<byte> bytes)
    {
        if (ChecksumTrailer.Judge(bytes) is not null)
            return null;
        var reader = new Utf8JsonReader(bytes);
        return JsonElement.ParseValue(ref reader);
    }

    /// <summary>Reads a whole file; null when it is not there.</summary>
    public static byte[]? ReadBytes(IFileSystem fileSystem, string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        if (file is null)
            return null;
        var bytes = new byte[LengthAtFirst];
        for (var length = 0; ;)
        {
            length += file.Read(bytes.AsSpan(length), length);
            if (length < bytes.Length)
                return bytes[..length];
            Array.Resize(ref bytes, bytes.Length * 4);
        }
    }
}
