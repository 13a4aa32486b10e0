using System.Security.Cryptography;
using System.Text;

namespace Opossum.Personal;

/// <summary>The store's own key: encrypts the keys of persons, and makes pseudonyms.</summary>
internal sealed class StoreKey(byte[] key)
{
    public const int Length = 2 * Cipher.KeyLength;

    // Enough that two values do not meet by chance.
    private const int PseudonymLength = 16;

    private const int IdLength = 8;

    /// <summary>Names the key without telling it: the store notes it, and so does the file of the key.</summary>
    public string Id { get; } = Convert.ToHexStringLower(SHA256.HashData([.. "opossum store key id"u8, .. key]).AsSpan(0, IdLength));

    public static byte[] Create() => RandomNumberGenerator.GetBytes(Length);

    /// <summary>Encrypts a person's key.</summary>
    public byte[] Wrap(Tag subject, byte[] subjectKey) =>
        Cipher.Encrypt(key.AsSpan(0, Cipher.KeyLength), RandomNumberGenerator.GetBytes(Cipher.NonceLength), subjectKey, PlaceOf(subject));

    /// <summary>Decrypts a person's key; null when it is another person's or was changed.</summary>
    public byte[]? Unwrap(Tag subject, byte[] wrapped) => Cipher.Decrypt(key.AsSpan(0, Cipher.KeyLength), wrapped, PlaceOf(subject)) is { } subjectKey
        && subjectKey.Length == SubjectKey.Length ? subjectKey : null;

    public Tag Pseudonym(Tag tag) => Pseudonym(tag.Key, tag.PseudonymOf);

    public Tag Pseudonym(string tagKey, string value)
    {
        var hash = HMACSHA256.HashData(key.AsSpan(Cipher.KeyLength), Encoding.UTF8.GetBytes($"{tagKey}\0{value}"));
        return new Tag(tagKey, $"~{Convert.ToBase64String(hash.AsSpan(0, PseudonymLength)).TrimEnd('=').Replace('+', '-').Replace('/', '_')}");
    }

    private static byte[] PlaceOf(Tag subject) => Encoding.UTF8.GetBytes($"opossum subject key\0{subject}");
}
