using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>Opens a store's folder for reading only: nothing is created, written, locked or repaired.</summary>
internal sealed class ReadOnlyOpening(IFileSystem fileSystem, string root, StoreSettings settings, ILogger logger)
{
    private readonly StoreLayout layout = new(root);

    /// <exception cref="StoreOpenException">The folder is no store.</exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other.</exception>
    public OpenStore Open()
    {
        if (fileSystem.GetKind(root) != EntryKind.Folder)
            throw NoStore("is not there, or is no folder");
        StoreFolders.ThrowIfLinked(fileSystem, layout);
        var storeFile = StoreFile.Read(fileSystem, layout);
        if (storeFile is null && fileSystem.GetKind(layout.Events) != EntryKind.Folder)
            throw NoStore("is not a store");
        var volume = fileSystem.GetVolume(root, forReading: true);
        var eventFiles = new EventFiles(fileSystem, layout, volume) { TakesUnknown = storeFile is { IsOfNewerMinor: true } };
        // Without its file the store has no id, and an index that belongs to it cannot be told.
        var index = new ReadOnlyIndex(fileSystem, layout, volume, storeFile?.Id ?? Guid.NewGuid(), eventFiles, settings, logger);
        try
        {
            index.Open();
            StoreLog.OpenedForReading(logger, root, volume.Name, index.Published.Contents.Head);
            return new OpenStore(fileSystem, layout, volume, index, eventFiles);
        }
        catch
        {
            index.Dispose();
            throw;
        }
    }

    private StoreOpenException NoStore(string what) =>
        new(root, $"{root} {what}, and {nameof(OpossumOptions)}.{nameof(OpossumOptions.ReadOnly)} is true. Choose the folder of a store. Nothing was changed.");
}
