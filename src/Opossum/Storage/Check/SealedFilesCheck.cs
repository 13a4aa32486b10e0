using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Check;

/// <summary>Checks what is not an event in sealed files, after all events were checked.</summary>
internal sealed class SealedFilesCheck(StoreFolder folder, EventFiles eventFiles, List<StoreFinding> findings)
{
    private readonly StoreLayout layout = folder.Layout;

    public void Run(CancellationToken cancellationToken)
    {
        foreach (var name in folder.HasEvents ? folder.FileSystem.List(layout.Events) : [])
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (layout.TryParseSealedFileName(name, out var shard))
                Check(shard);
        }
    }

    private void Check(long shard)
    {
        var path = layout.SealedFile(shard);
        var eventFolder = eventFiles.FolderOf(shard);
        // A bad line was found with its event.
        if (!findings.Exists(each => each.Path == path))
            CheckWhole(shard, path);
        // Looked at again after the duty: the process that had it before may have finished.
        if (HasBoth(shard) && !StoreDuty.IsSealingTaken(folder) && HasBoth(shard))
        {
            findings.Add(StoreFinding.Of(FindingKind.UnfinishedSealing, eventFolder,
                $"{eventFolder} has event files although {path} has its events: sealing or unsealing was interrupted",
                Remedy.Seal));
        }
    }

    private bool HasBoth(long shard) => eventFiles.Listing.FilesOf(shard) is [_, ..] && HasSealedFile(shard);

    private bool HasSealedFile(long shard) => folder.FileSystem.GetKind(layout.SealedFile(shard)) == EntryKind.File;

    private void CheckWhole(long shard, string path)
    {
        try
        {
            if (!IsIntact(shard))
            {
                findings.Add(StoreFinding.Of(FindingKind.BadSealedFile, path,
                    $"{path} was damaged or edited: its events are valid, but its closing line does not fit them",
                    Remedy.Unseal));
            }
        }
        catch (FileSystemException e) when (e.IsOutOfReach)
        {
            findings.Add(StoreFinding.Of(FindingKind.UnreadableFile, path, $"{path} cannot be read: {e.Message}", Remedy.MakeReadable));
        }
    }

    private bool IsIntact(long shard)
    {
        try
        {
            using var sealedFile = eventFiles.Sealed.LookAgain(shard) ? eventFiles.Sealed.Use(shard) : null;
            // Null: it has just been unsealed.
            return sealedFile?.IsIntact() ?? true;
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            return false;
        }
        catch (FileSystemException e) when (e.Error == FileError.HandleLost && !HasSealedFile(shard))
        {
            // Another machine has just unsealed it.
            return true;
        }
    }
}
