using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Folders;

namespace Opossum.ProcessTests.Worker;

/// <summary>Stores whose folders of event files may have few positions, in tests of many folders.</summary>
internal static class Stores
{
    /// <summary>The argument of a worker before the number of positions in a folder.</summary>
    public const string FolderLength = "--folder-length";

    public static FileSystemEventStore Open(StoreLayout layout, OpossumOptions? options = null)
    {
        options ??= new OpossumOptions();
        options.Path = layout.Root;
        return FileSystemEventStore.Open(options, RealFileSystem.Create(), layout);
    }

    public static StoreCheckReport Check(StoreLayout layout)
    {
        using var fileSystem = RealFileSystem.Create();
        return StoreCheck.Run(fileSystem, layout);
    }

    /// <summary>Seals all full folders but a number of the newest.</summary>
    public static void Seal(StoreLayout layout, int keepNewest = 1)
    {
        using var fileSystem = RealFileSystem.Create();
        StoreSealing.Seal(fileSystem, layout, keepNewest, TimeProvider.System);
    }

    /// <summary>Unseals the folders that have one of the positions; by default all.</summary>
    public static void Unseal(StoreLayout layout, long from = 1, long? upTo = null)
    {
        using var fileSystem = RealFileSystem.Create();
        StoreSealing.Unseal(fileSystem, layout, from - 1, upTo, TimeProvider.System);
    }
}
