using System.Globalization;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Following;

/// <summary>Small JSON files with a checksum, which are written atomically.</summary>
internal static class CheckedFile
{
    /// <summary>Writes a file and makes it durable; an existing file is replaced.</summary>
    /// <param name="beforeMove">As for <see cref="DurableFile.Replace(IFileSystem, string, ReadOnlySpan{byte}, Action)"/>.</param>
    public static void Write(IFileSystem fileSystem, string path, Action<Utf8JsonWriter> writeMembers, Action? beforeMove = null) =>
        DurableFile.Replace(fileSystem, path, JsonFile.Checked(writeMembers), beforeMove);

    /// <summary>Makes an existing file durable, with its name.</summary>
    public static void Flush(IFileSystem fileSystem, string path)
    {
        if (!DurableFile.TryFlush(fileSystem, path))
            throw PatientLook.Gone(path);
    }

    /// <summary>Reads a file and converts its members; null if the file is missing, or they are converted to null.</summary>
    /// <param name="make">Converts the members, as for <see cref="JsonFile.Parse{T}"/>.</param>
    /// <exception cref="DamagedFileException">The file is damaged, or its members are not valid.</exception>
    public static T? Read<T>(IFileSystem fileSystem, string path, Func<JsonElement, T?> make)
        where T : class =>
        Read(fileSystem, path, LedFolder.FileBytesMax, bytes => (JsonFile.ParseChecked(bytes, make, out var problem), problem));

    /// <summary>Reads a file and converts its bytes; null if the file is missing.</summary>
    /// <param name="make">Converts the bytes, or returns what is wrong, as the end of a sentence that starts with the file.</param>
    /// <exception cref="DamagedFileException">The file is damaged.</exception>
    public static T? Read<T>(IFileSystem fileSystem, string path, int lengthMax, Func<byte[], (T? Made, string? Problem)> make)
        where T : class
    {
        var patience = PatientLook.WhileTorn(fileSystem);
        while (true)
        {
            if (SmallFile.Read(fileSystem, path, lengthMax, () => throw TooLong(path, lengthMax)) is not { } bytes)
                return null;
            if (bytes.Length > lengthMax)
                throw TooLong(path, lengthMax);
            var (made, problem) = make(bytes);
            if (problem is null)
                return made;
            // On a share this machine may have read a part of another machine's write.
            if (!patience.TryPause())
                throw new DamagedFileException(path, problem);
        }
    }

    /// <summary>A member that is a position: a number from 0.</summary>
    /// <exception cref="FormatException">The member is not a position.</exception>
    public static long GetPosition(JsonElement members, string name) =>
        members.GetProperty(name).GetInt64() is >= 0 and var position ? position : throw new FormatException($"Its {name} is not a position.");

    /// <summary>A member that is text.</summary>
    /// <exception cref="FormatException">The member is null.</exception>
    public static string GetText(JsonElement members, string name) =>
        members.GetProperty(name).GetString() ?? throw new FormatException($"Its {name} is null.");

    private static DamagedFileException TooLong(string path, int lengthMax) =>
        new(path, string.Create(CultureInfo.InvariantCulture, $"is longer than {lengthMax:N0} bytes, which no such file is"));
}
