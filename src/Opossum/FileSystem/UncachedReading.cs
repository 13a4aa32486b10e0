namespace Opossum.FileSystem;

internal static class UncachedReading
{
    /// <summary>Reads once, bypassing this machine's caches, until the buffer is full or the file ends. Null when it is missing.</summary>
    public static int? ReadPastCache(this IFileSystem fileSystem, string path, Span<byte> buffer, long offset)
    {
        using var file = fileSystem.OpenUncached(path);
        return file?.Read(buffer, offset);
    }
}
