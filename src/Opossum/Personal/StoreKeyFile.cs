using System.Security.Cryptography;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>The file of the store's own key, which the master key has encrypted.</summary>
internal static class StoreKeyFile
{
    private const string MasterKeyMember = "masterKey";
    private const string IdMember = "id";
    private const string StoreMember = "store";
    private const string KeyMember = "key";

    /// <summary>Reads the key; null when there is none yet.</summary>
    /// <exception cref="PersonalDataException">The master key is another one, or the file is damaged.</exception>
    public static byte[]? Read(KeyFolder folder, IMasterKey masterKey, bool pastCache = false)
    {
        try
        {
            return folder.ReadBytes(folder.StoreKeyFile, pastCache) is { } bytes && !KeyFile.IsUnfinished(bytes)
                ? Unwrap(folder, masterKey, bytes) : null;
        }
        catch (FileSystemException e)
        {
            throw folder.Unusable(e);
        }
    }

    /// <summary>Reads the id of the key, which needs no master key.</summary>
    /// <param name="id">The id; null when the file does not state it, or is damaged.</param>
    /// <param name="pastCache">Whether to read it from the server, as under the lock on a share.</param>
    /// <returns>Whether there is a file, and it was not left unfinished.</returns>
    public static bool TryReadId(KeyFolder folder, out string? id, bool pastCache = false)
    {
        id = null;
        try
        {
            if (folder.ReadBytes(folder.StoreKeyFile, pastCache) is not { } bytes || KeyFile.IsUnfinished(bytes))
                return false;
            id = FindId(folder, bytes);
            return true;
        }
        catch (FileSystemException e)
        {
            throw folder.Unusable(e);
        }
    }

    /// <summary>The id that the bytes of the file state; null when they do not, or are damaged.</summary>
    public static string? FindId(KeyFolder folder, byte[] bytes)
    {
        try
        {
            return Parse(folder, bytes).Id;
        }
        catch (PersonalDataException)
        {
            // The use of the key reports that its file is damaged.
            return null;
        }
    }

    /// <summary>The id of the store that made the key; null when the file does not state it, or is damaged or not there.</summary>
    /// <param name="pastCache">Whether to read it from the server, as under the lock on a share.</param>
    public static Guid? FindStore(KeyFolder folder, bool pastCache = false)
    {
        try
        {
            return folder.ReadBytes(folder.StoreKeyFile, pastCache) is { } bytes ? Parse(folder, bytes).Store : null;
        }
        catch (FileSystemException e)
        {
            throw folder.Unusable(e);
        }
        catch (PersonalDataException)
        {
            // As for its id.
            return null;
        }
    }

    /// <summary>Encrypts the key with another master key. False when that was done before.</summary>
    /// <param name="check">Throws when the key is not the store's.</param>
    public static bool TryRotate(KeyFolder folder, IMasterKey current, IMasterKey next, Action check) => folder.WithLock(() =>
    {
        check();
        if (folder.ReadBytes(folder.StoreKeyFile, pastCache: true) is not { } bytes)
        {
            throw new PersonalDataException(folder.StoreKeyFile, $"{folder.StoreKeyFile} is missing: no personal data was encrypted in this "
                + "store yet. "
                + "Nothing was changed.");
        }
        var file = Parse(folder, bytes);
        if (file.MasterKey == next.Id)
            return false;
        var key = Unwrap(folder, current, bytes);
        folder.Replace(folder.StoreKeyFile, Wrap(next, key, file.Store));
        return true;
    });

    /// <summary>The bytes of the file.</summary>
    /// <param name="store">The id of the store that made the key; null: it is not known.</param>
    public static byte[] Wrap(IMasterKey masterKey, byte[] key, Guid? store) => JsonFile.Of(json =>
    {
        json.WriteStartObject();
        json.WriteString(MasterKeyMember, masterKey.Id);
        json.WriteString(IdMember, new StoreKey(key).Id);
        if (store is { } id)
            json.WriteString(StoreMember, id);
        json.WriteBase64String(KeyMember, masterKey.Wrap(key));
        json.WriteEndObject();
    });

    private static byte[] Unwrap(KeyFolder folder, IMasterKey masterKey, byte[] bytes)
    {
        var (id, wrapped, _, _) = Parse(folder, bytes);
        if (id != masterKey.Id)
        {
            throw new PersonalDataException(folder.StoreKeyFile, $"The personal data in {folder.Path} was encrypted with the master key {id}, "
                + $"but the master key given is {masterKey.Id}. Give the other one, or, if it was replaced, the new one. Nothing was changed.");
        }
        try
        {
            return masterKey.Unwrap(wrapped) is { Length: StoreKey.Length } key
                ? key : throw new CryptographicException("The key has another "
                + "length.");
        }
        catch (CryptographicException e)
        {
            throw new PersonalDataException(folder.StoreKeyFile, $"{folder.StoreKeyFile} is damaged: the master key {id} does not decrypt it. "
                + "Restore it from "
                + $"a backup of the keys. {e.Message}", isTransient: false, e);
        }
    }

    private static (string MasterKey, byte[] Wrapped, string? Id, Guid? Store) Parse(KeyFolder folder, byte[] bytes)
    {
        var read = JsonFile.Parse(bytes, static members => (members.GetProperty(MasterKeyMember).GetString() ?? "",
            members.GetProperty(KeyMember).GetBytesFromBase64(), members.TryGetProperty(IdMember, out var id) ? id.GetString() : null,
            members.TryGetProperty(StoreMember, out var store) ? store.GetGuid() : (Guid?)null), out var problem);
        return problem is null ? read : throw new PersonalDataException(folder.StoreKeyFile,
            $"{folder.StoreKeyFile} is damaged: it is not the file of a store's key. Restore it from a backup of the keys.");
    }
}
