using Opossum.FileSystem;

namespace Opossum.Storage.Folders;

/// <summary>What a folder knows of the terms of its store.</summary>
/// <param name="Root">The folder.</param>
/// <param name="StoreFile">Its store.json; null: it has none.</param>
/// <param name="Replica">What says that it is not the store; null: nothing does.</param>
internal sealed record FolderTerm(string Root, StoreFile? StoreFile, ReplicaFile? Replica)
{
    /// <summary>The newest term of the store that is known there.</summary>
    public int Newest => Math.Max(StoreFile?.Term ?? 0, Replica?.Term ?? 0);

    /// <summary>The folder that is the store in that term, as far as this one knows.</summary>
    public string Store => Replica?.Source ?? Root;

    /// <summary>What says that another folder was promoted in the place of this one, or of the store that it followed; null: nothing does.</summary>
    public ReplicaFile? Mark => Replica?.Term > StoreFile?.Term ? Replica : null;

    /// <summary>What it says about being a replica or a former store; null: it is neither.</summary>
    public ReplicaStatus? Status => Replica?.StatusOf(StoreFile);

    /// <exception cref="StoreOpenException">store.json is not a store file, or has a newer format.</exception>
    public static FolderTerm Read(IFileSystem fileSystem, StoreLayout layout)
    {
        var storeFile = StoreFile.Read(fileSystem, layout);
        return new FolderTerm(layout.Root, storeFile, ReplicaFile.Find(fileSystem, layout, storeFile));
    }

    /// <summary>The same for a path at which another store may be, or which cannot be reached; null: it is not a folder of this store.</summary>
    /// <param name="id">The store; null: any.</param>
    public static FolderTerm? TryRead(IFileSystem fileSystem, StoreLayout layout, Guid? id = null)
    {
        try
        {
            return Read(fileSystem, layout) is var read && (id is null || read.StoreFile?.Id == id) ? read : null;
        }
        catch (Exception e) when (e is FileSystemException or StoreOpenException)
        {
            return null;
        }
    }
}
