using Opossum.FileSystem.Real;
using Opossum.Storage.Folders;
using Opossum.Storage.Ledger;

namespace Opossum.Benchmarks.Sealing;

/// <summary>What a store takes on the disk.</summary>
/// <param name="BytesOnDisk">The blocks of all its files, in bytes.</param>
/// <param name="Files">The number of its files.</param>
/// <param name="CanonicalBytes">The bytes of the canonical texts of its events.</param>
internal sealed record StoreSize(long BytesOnDisk, long Files, long CanonicalBytes)
{
    private const int Block = 4096;

    /// <summary>Measures a store that is closed.</summary>
    public static StoreSize Measure(string path, int events)
    {
        var (bytes, files) = (0L, 0L);
        foreach (var file in new DirectoryInfo(path).EnumerateFiles("*", SearchOption.AllDirectories))
        {
            files++;
            bytes += (file.Length + Block - 1) / Block * Block;
        }
        return new StoreSize(bytes, files, CanonicalBytesOf(path, events));
    }

    private static long CanonicalBytesOf(string path, int events)
    {
        using var fileSystem = RealFileSystem.Create();
        var store = new StoreFolder(fileSystem, path);
        store.Read();
        using var eventFiles = new EventFiles(store);
        eventFiles.Listing.After(events - 1);
        var bytes = 0L;
        for (long position = 1; position <= events; position++)
        {
            if (eventFiles.Sealed.Use(store.Layout.ShardOf(position)) is { } sealedFile)
            {
                // The line feeds are not part of the texts.
                bytes += sealedFile.Closing!.Bytes - (sealedFile.Closing.Last - sealedFile.Closing.First + 1);
                position = sealedFile.Closing.Last;
                sealedFile.Dispose();
            }
            else
            {
                bytes += eventFiles.Read(position, out _)!.Line!.Length;
            }
        }
        return bytes;
    }
}
