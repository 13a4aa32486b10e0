using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>The folder of a store: the file system it is in, the names in it, what it lies on, and the store's id. Every opening begins with one.</summary>
/// <param name="fileSystem">The file system.</param>
/// <param name="root">The folder's path.</param>
/// <param name="forReading">Nothing is written: what flushes do there is not tried out.</param>
internal sealed class StoreFolder(IFileSystem fileSystem, string root, bool forReading = false)
{
    private Volume? volume;

    public IFileSystem FileSystem => fileSystem;

    public string Root => root;

    public StoreLayout Layout { get; } = new(root);

    /// <summary>What the folder lies on. Asked for once; the folder has to be there by then.</summary>
    public Volume Volume => volume ??= fileSystem.GetVolume(root, forReading);

    /// <summary>The id of the store, by which its index is known; null before it was read or written, and when store.json has none.</summary>
    public Guid? Id { get; private set; }

    /// <summary>Whether store.json names a minor format that is not known here: then an event file may hold a member that is not known either.</summary>
    public bool IsOfNewerMinor { get; private set; }

    public bool HasEvents => fileSystem.GetKind(Layout.Events) == EntryKind.Folder;

    /// <summary>Reads store.json, which names the store; null when it is not there, or empty.</summary>
    /// <exception cref="FileSystemException">As for <see cref="ThrowIfLinked"/>.</exception>
    /// <exception cref="StoreOpenException">It is not a store's, or of a newer format.</exception>
    public StoreFile? Read()
    {
        ThrowIfLinked();
        return Note(StoreFile.Read(fileSystem, Layout));
    }

    /// <summary>The same for a check, which goes on without it.</summary>
    /// <param name="problem">Why it is not a store's, as the end of a sentence that begins with the file; null when it is, or not there.</param>
    /// <exception cref="StoreOpenException">It is of a newer format.</exception>
    public StoreFile? TryRead(out string? problem) => Note(StoreFile.TryRead(fileSystem, Layout, out problem));

    /// <summary>Makes it a store's folder, under the lock; does nothing when another process has done so.</summary>
    /// <returns>Whether it was this process.</returns>
    public bool TryWrite(StoreFile file)
    {
        var isNew = file.TryWrite(fileSystem, Layout);
        Note(isNew ? file : StoreFile.Read(fileSystem, Layout));
        return isNew;
    }

    /// <summary>Makes sure that the folders in it lie there: behind a symbolic link nothing of what is promised of flushing and renaming would hold.</summary>
    /// <exception cref="FileSystemException">One of them is a link.</exception>
    public void ThrowIfLinked()
    {
        fileSystem.ThrowIfLink(Layout.Events);
        fileSystem.ThrowIfLink(Layout.Index);
        fileSystem.ThrowIfLink(Layout.Quarantine);
    }

    private StoreFile? Note(StoreFile? file)
    {
        Id = file?.Id;
        IsOfNewerMinor = file?.Minor > StoreLayout.FormatMinor;
        return file;
    }
}
