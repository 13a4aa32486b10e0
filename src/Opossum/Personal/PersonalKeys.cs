using Opossum.FileSystem;
using Opossum.Personal;
using Opossum.Storage;

namespace Opossum;

/// <summary>The keys of a store's personal data.</summary>
public static class PersonalKeys
{
    private static readonly TimeSpan lockTimeout = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Replaces the master key of a store: encrypts the store's own key, which encrypts the persons' keys, with another master key. No event and no
    /// person's key changes. Processes that have the store open continue; from their next opening they need the new master key.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="current">The current master key.</param>
    /// <param name="next">The new master key.</param>
    /// <param name="keysFolder">The folder of keys, as in <see cref="PersonalDataOptions.KeysFolder"/>. Null, the default: the store's own.</param>
    /// <param name="cancellationToken">Keeps the replacement from beginning.</param>
    /// <returns>Whether it was replaced; false when it was already the new one.</returns>
    /// <remarks>
    /// Remove the old master key, and backups of the folder of keys that it opens: who has both reads what they encrypted.
    /// </remarks>
    /// <exception cref="PersonalDataException">
    /// The current master key is another one, the store has no key yet, or its file is damaged; nothing was changed.
    /// </exception>
    public static Task<bool> RotateMasterKeyAsync(string path, IMasterKey current, IMasterKey next, string? keysFolder = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentNullException.ThrowIfNull(current);
        ArgumentNullException.ThrowIfNull(next);
        return Task.Run(
            () =>
            {
                using var fileSystem = RealFileSystem.Create();
                return Rotate(fileSystem, Path.GetFullPath(path), current, next, keysFolder is null ? null : Path.GetFullPath(keysFolder));
            },
            cancellationToken);
    }

    internal static bool Rotate(IFileSystem fileSystem, string root, IMasterKey current, IMasterKey next, string? keysFolder)
    {
        var folder = new StoreFolder(fileSystem, root);
        if (folder.Read() is null)
            throw new StoreOpenException(root, $"{root} is not a store: it has no {StoreLayout.StoreFileName}. Nothing was changed.");
        return StoreKeyFile.TryRotate(new KeyFolder(folder, keysFolder ?? folder.Layout.Keys, lockTimeout), current, next);
    }
}
