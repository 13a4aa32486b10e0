using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Opening;

/// <summary>Opens a store's folder read-only: creates, writes, locks and repairs nothing.</summary>
internal sealed class ReadOnlyOpening(IFileSystem fileSystem, StoreLayout layout, StoreSettings settings, ILogger logger)
{
    /// <exception cref="StoreOpenException">The folder is not a store.</exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other.</exception>
    public OpenStore Open()
    {
        if (fileSystem.GetKind(layout.Root) != EntryKind.Folder)
            throw NoStore("does not exist or is not a folder");
        var folder = new StoreFolder(fileSystem, layout, forReading: true) { Runs = settings.Runs, SlowReads = new SlowReads(settings.TimeProvider) };
        if (folder.Read() is null && !folder.HasEvents)
            throw NoStore("is not a store");
        folder.UseIdOfIndex(IndexHeader.FindStoreId(fileSystem, layout));
        var eventFiles = new EventFiles(folder);
        var index = new ReadOnlyIndex(folder, eventFiles, settings, logger);
        try
        {
            index.Open();
            StoreLog.OpenedForReading(logger, layout.Root, folder.Volume.Name, index.Published.Contents.Head);
            if (TagRuleFiles.FindProblem(folder, index.Published.Rules) is { } problem)
                StoreLog.RulesNotTakenIn(logger, layout.Root, problem);
            return new OpenStore(folder, index, eventFiles);
        }
        catch
        {
            index.Dispose();
            eventFiles.Dispose();
            throw;
        }
    }

    private StoreOpenException NoStore(string what) =>
        new(layout.Root,
            $"{layout.Root} {what}, and opening one for reading only creates none. Choose the folder of a store. Nothing was changed.");
}
