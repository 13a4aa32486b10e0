using System.Buffers;
using System.Security.Cryptography;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>The file of the store's own key, which the master key has encrypted.</summary>
internal static class StoreKeyFile
{
    private const string MasterKeyMember = "masterKey";
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

    /// <summary>Reads the key, and creates it if there is none yet.</summary>
    public static byte[] ReadOrCreate(KeyFolder folder, IMasterKey masterKey) =>
        Read(folder, masterKey) ?? folder.WithLock(() =>
        {
            if (Read(folder, masterKey, pastCache: true) is { } known)
                return known;
            // Another key would decrypt none of them, and its pseudonyms would be others.
            if (folder.HasKeyOfPerson())
            {
                throw new PersonalDataException(folder.StoreKeyFile, $"{folder.StoreKeyFile} is missing or was cut off, and the keys of persons in "
                    + $"{folder.Path} can be decrypted with it alone. Restore it from a backup of the keys. Nothing was changed.");
            }
            var key = StoreKey.Create();
            folder.CreateFiles([(folder.StoreKeyFile, Wrap(masterKey, key))]);
            return key;
        });

    /// <summary>Encrypts the key with another master key. False when that was done before.</summary>
    public static bool TryRotate(KeyFolder folder, IMasterKey current, IMasterKey next) => folder.WithLock(() =>
    {
        if (folder.ReadBytes(folder.StoreKeyFile, pastCache: true) is not { } bytes)
        {
            throw new PersonalDataException(folder.StoreKeyFile, $"{folder.StoreKeyFile} is missing: no personal data was encrypted in this "
                + "store yet. "
                + "Nothing was changed.");
        }
        if (Parse(folder, bytes).MasterKey == next.Id)
            return false;
        var key = Unwrap(folder, current, bytes);
        folder.Replace(folder.StoreKeyFile, Wrap(next, key));
        return true;
    });

    private static byte[] Wrap(IMasterKey masterKey, byte[] key)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer, ReadableJsonEncoder.InFiles))
        {
            writer.WriteStartObject();
            writer.WriteString(MasterKeyMember, masterKey.Id);
            writer.WriteBase64String(KeyMember, masterKey.Wrap(key));
            writer.WriteEndObject();
        }
        buffer.Write("\n"u8);
        return buffer.WrittenSpan.ToArray();
    }

    private static byte[] Unwrap(KeyFolder folder, IMasterKey masterKey, byte[] bytes)
    {
        var (id, wrapped) = Parse(folder, bytes);
        if (id != masterKey.Id)
        {
            throw new PersonalDataException(folder.StoreKeyFile, $"The personal data in {folder.Path} was encrypted with the master key {id}, "
                + "but the master "
                + $"key given is {masterKey.Id}. Give the other one ({nameof(OpossumOptions)}.{nameof(OpossumOptions.PersonalData)}), or, if it "
                    + "was replaced, "
                + "the new one. Nothing was changed.");
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

    private static (string MasterKey, byte[] Wrapped) Parse(KeyFolder folder, byte[] bytes)
    {
        try
        {
            var members = JsonElement.Parse(CanonicalText.WithoutByteOrderMark(bytes));
            return (members.GetProperty(MasterKeyMember).GetString() ?? "", members.GetProperty(KeyMember).GetBytesFromBase64());
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            throw new PersonalDataException(folder.StoreKeyFile,
                $"{folder.StoreKeyFile} is damaged: it is not the file of a store's key. Restore it from a backup of the keys.");
        }
    }
}
