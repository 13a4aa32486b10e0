namespace Opossum.FileSystem;

internal static class UncachedReading
{
    /// <summary>Reads once from the disk or the server itself, past this machine's caches; to the buffer's end or the file's. Null: the file is not there.</summary>
    public static int? ReadPastCache(this IFileSystem fileSystem, string path, Span<byte> buffer, long offset)
    {
        using var file = fileSystem.OpenUncached(path);
        return file?.Read(buffer, offset);
    }
}
