using System.Security.Cryptography;
using Opossum.Personal;

namespace Opossum;

/// <summary>A master key that lies in a file: 32 random bytes. Keep the file beside the app and back it up, never with the store.</summary>
/// <example><code>
/// await File.WriteAllTextAsync("shop.masterkey", MasterKey.Create().ToText());
/// options.PersonalData.MasterKeyFile = "shop.masterkey";
/// </code></example>
public sealed class MasterKey : IMasterKey
{
    private const string Label = "opossum-master-key-1:";

    private readonly byte[] key;

    private MasterKey(byte[] key)
    {
        this.key = key;
        Id = Convert.ToHexStringLower(SHA256.HashData([.. "opossum master key id"u8, .. key]).AsSpan(0, 8));
    }

    /// <inheritdoc/>
    public string Id { get; }

    /// <summary>Creates a new key.</summary>
    public static MasterKey Create() => new(RandomNumberGenerator.GetBytes(Cipher.KeyLength));

    /// <summary>Reads a key.</summary>
    /// <param name="text">What <see cref="ToText"/> gave.</param>
    /// <exception cref="FormatException">It is not such a text.</exception>
    public static MasterKey FromText(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var trimmed = text.AsSpan().Trim();
        var key = new byte[Cipher.KeyLength];
        if (trimmed.StartsWith(Label, StringComparison.Ordinal)
            && Convert.TryFromBase64Chars(trimmed[Label.Length..], key, out var length) && length == key.Length)
        {
            return new MasterKey(key);
        }
        // The message does not quote the text.
        throw new FormatException($"This is not a master key: one line that begins with \"{Label}\", as MasterKey.ToText and opossum master-key new "
            + "give it.");
    }

    /// <summary>The key as one line of text, not encrypted, with a line feed.</summary>
    public string ToText() => $"{Label}{Convert.ToBase64String(key)}\n";

    /// <inheritdoc/>
    public byte[] Wrap(ReadOnlySpan<byte> key) => Cipher.Encrypt(this.key, RandomNumberGenerator.GetBytes(Cipher.NonceLength), key, Purpose);

    /// <inheritdoc/>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped) => Cipher.Decrypt(key, wrapped, Purpose)
        ?? throw new CryptographicException("The encrypted key was changed, or another master key has encrypted it.");

    /// <summary>The id; never the key.</summary>
    public override string ToString() => Id;

    private static ReadOnlySpan<byte> Purpose => "opossum store key"u8;
}
