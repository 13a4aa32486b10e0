namespace Opossum.FileSystem;

/// <summary>Reads files that are small unless they are damaged.</summary>
internal static class SmallFile
{
    private const int LengthUsually = 4096;

    /// <summary>Reads a whole file; of one that is longer than allowed one byte more than that; null when it is missing.</summary>
    /// <param name="refuse">Called before reading on in a file that says that it is longer; it may throw. Null: the file is read on.</param>
    public static byte[]? Read(IFileSystem fileSystem, string path, int lengthMax, Action? refuse = null)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        if (file is null)
            return null;
        var bytes = new byte[Math.Min(LengthUsually, lengthMax + 1)];
        var length = file.Read(bytes, 0);
        while (length == bytes.Length && length <= lengthMax)
        {
            // On a share the length may be stale, so it only estimates the bytes to read.
            var stated = file.GetLength();
            if (stated > lengthMax)
                refuse?.Invoke();
            Array.Resize(ref bytes, (int)Math.Min(Math.Max(bytes.Length * 2L, stated + 1), lengthMax + 1L));
            length += file.Read(bytes.AsSpan(length), length);
        }
        return bytes[..length];
    }
}
