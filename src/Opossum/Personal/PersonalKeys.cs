using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Personal;

namespace Opossum.Maintenance;

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
    /// The current master key is another one, the store has no key yet, the folder does not have it, or its file is damaged; nothing was changed.
    /// </exception>
    public static Task<bool> RotateMasterKeyAsync(string path, IMasterKey current, IMasterKey next, string? keysFolder = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentNullException.ThrowIfNull(current);
        ArgumentNullException.ThrowIfNull(next);
        var (root, keys) = (Path.GetFullPath(path), keysFolder is null ? null : Path.GetFullPath(keysFolder));
        return Task.Run(
            () => RealFileSystem.Use(fileSystem => Rotate(fileSystem, root, current, next, keys)), cancellationToken);
    }

    /// <summary>Looks up what the folder of keys has for a person. Changes nothing, and decrypts no person's key.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="subject">The person.</param>
    /// <param name="keysFolder">The folder of keys, as in <see cref="PersonalDataOptions.KeysFolder"/>. Null, the default: the store's own.</param>
    /// <param name="masterKey">The master key: only for a subject that is a pseudonym. Null, the default: none.</param>
    /// <param name="cancellationToken">Keeps the look-up from beginning.</param>
    /// <exception cref="ArgumentException">The subject is <c>default(Tag)</c>, or a pseudonym without a master key.</exception>
    /// <exception cref="StoreOpenException">The path is not a store.</exception>
    /// <exception cref="PersonalDataException">The folder of keys cannot be read, or the master key is another one.</exception>
    public static Task<PersonKey> FindAsync(string path, Tag subject, string? keysFolder = null, IMasterKey? masterKey = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        if (subject.Key is null)
            throw new ArgumentException("The subject is default(Tag), without key and value.", nameof(subject));
        if (subject.IsPseudonym && masterKey is null)
            throw new ArgumentException($"The subject {subject} is a pseudonym, which only the master key resolves.", nameof(masterKey));
        var (root, keys) = (Path.GetFullPath(path), keysFolder is null ? null : Path.GetFullPath(keysFolder));
        return Task.Run(
            () => RealFileSystem.Use(fileSystem => Find(fileSystem, root, subject, keys, masterKey)), cancellationToken);
    }

    internal static PersonKey Find(IFileSystem fileSystem, StoreLayout layout, Tag subject, string? keysFolder, IMasterKey? masterKey)
    {
        var keys = FolderOf(fileSystem, layout, keysFolder, forReading: true);
        try
        {
            // Without the store's key no pseudonym was ever made.
            if (subject.IsPseudonym)
                subject = new StoreKey(StoreKeyFile.Read(keys, masterKey!) ?? StoreKey.Create()).Pseudonym(subject);
            var (state, forgotten) = StateOf(keys, subject);
            return new PersonKey
            {
                Subject = subject,
                State = state,
                Forgotten = forgotten,
                KeysFolder = keys.Path,
                StoreHasKeys = keys.HasStoreKey,
                KeysProblem = StoreKeys.FindProblem(StoreKeyMark.Read(fileSystem, layout), keys),
            };
        }
        catch (FileSystemException e)
        {
            throw keys.Unusable(e);
        }
    }

    private static (PersonKeyState State, DateTimeOffset? Forgotten) StateOf(KeyFolder keys, Tag subject)
    {
        try
        {
            var begun = keys.FindBegun(subject, out var isBegun);
            // A damaged file beside the key may have got there by mistake: who forgets then is asked.
            if (begun is not null || (isBegun && keys.ReadWhateverItIs(subject) is not { Key: not null }))
                return (PersonKeyState.Forgetting, begun?.At);
            return keys.Read(subject) switch
            {
                null => (PersonKeyState.None, null),
                { Key: null } mark =>
                    (keys.FindLeftInStore(subject) is null ? PersonKeyState.Forgotten : PersonKeyState.Forgetting, mark.At),
                _ => (PersonKeyState.Key, null),
            };
        }
        catch (PersonalDataException e) when (!e.IsTransient && e.InnerException is null)
        {
            return (PersonKeyState.Damaged, null);
        }
    }

    private static KeyFolder FolderOf(IFileSystem fileSystem, StoreLayout layout, string? keysFolder, bool forReading = false)
    {
        var folder = StoreFolder.OpenExisting(fileSystem, layout, forReading);
        return new KeyFolder(folder, keysFolder ?? folder.Layout.Keys, lockTimeout);
    }

    internal static bool Rotate(IFileSystem fileSystem, StoreLayout layout, IMasterKey current, IMasterKey next, string? keysFolder)
    {
        var folder = FolderOf(fileSystem, layout, keysFolder);
        // Before the lock, which makes the folder.
        Check();
        return StoreKeyFile.TryRotate(folder, current, next, Check);

        void Check()
        {
            try
            {
                if (StoreKeys.FindProblem(StoreKeyMark.Read(fileSystem, layout), folder, pastCache: true) is { } problem)
                    throw new PersonalDataException(folder.StoreKeyFile, $"The master key was not replaced. {problem}");
            }
            catch (FileSystemException e)
            {
                throw folder.Unusable(e);
            }
        }
    }
}
