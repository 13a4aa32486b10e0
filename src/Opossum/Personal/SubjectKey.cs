using System.Security.Cryptography;

namespace Opossum.Personal;

/// <summary>The key of a person in memory: encrypts and decrypts the values of that person.</summary>
/// <remarks>
/// The nonce is computed from the value and its place, with a second half of the key: appending an event again gives the same bytes, by which the
/// store recognises it, and no nonce is used for two texts.
/// </remarks>
internal sealed class SubjectKey : IDisposable
{
    public const int Length = 2 * Cipher.KeyLength;

    public const int IdLength = 8;

    // Both are used by one thread at a time.
    private readonly AesGcm cipher;
    private readonly IncrementalHash nonces;
    private readonly byte[] id;
    private readonly Lock gate = new();
    private bool isGone;

    /// <summary>Whether its file is known to be durable.</summary>
    public bool IsDurable { get; init; }

    /// <summary>Whether further events may have values that it encrypts: no forgetting of the person has begun.</summary>
    public bool IsForNewValues { get; set; }

    /// <param name="key">The key; the array is cleared.</param>
    public SubjectKey(byte[] key)
    {
        cipher = Cipher.Open(key.AsSpan(0, Cipher.KeyLength));
        nonces = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, key.AsSpan(Cipher.KeyLength));
        id = IdOf(key);
        CryptographicOperations.ZeroMemory(key);
    }

    /// <summary>The id of a key, with which each value begins that it encrypts.</summary>
    public static byte[] IdOf(byte[] key) => SHA256.HashData([.. "opossum subject key id"u8, .. key])[..IdLength];

    /// <summary>Encrypts a value, bound to its place. Null: the key was dropped in the meantime.</summary>
    public byte[]? Seal(ReadOnlySpan<byte> value, ReadOnlySpan<byte> place)
    {
        lock (gate)
        {
            if (isGone)
                return null;
            Span<byte> nonce = stackalloc byte[HMACSHA256.HashSizeInBytes];
            nonces.AppendData(place);
            nonces.AppendData([0]);
            nonces.AppendData(value);
            nonces.GetHashAndReset(nonce);
            return [.. id, .. Cipher.Encrypt(cipher, nonce[..Cipher.NonceLength], value, place)];
        }
    }

    /// <summary>Decrypts a value.</summary>
    /// <param name="isOfAnotherKey">Whether another key of this person has encrypted it.</param>
    /// <param name="problem">What is wrong, as the end of a sentence that begins with the value; null when nothing is.</param>
    /// <returns>The value; null when something is wrong, or the key was dropped in the meantime.</returns>
    public byte[]? Open(ReadOnlySpan<byte> sealedValue, ReadOnlySpan<byte> place, out bool isOfAnotherKey, out string? problem)
    {
        lock (gate)
        {
            (isOfAnotherKey, problem) = (false, null);
            if (isGone)
                return null;
            if (sealedValue.Length < IdLength + Cipher.Overhead)
            {
                problem = "is cut off";
            }
            else if (!sealedValue.StartsWith(id))
            {
                isOfAnotherKey = true;
            }
            else if (Cipher.Decrypt(cipher, sealedValue[IdLength..], place) is { } value)
            {
                return value;
            }
            else
            {
                problem = "does not belong to this event and member, or was changed: restore the original from a backup";
            }
            return null;
        }
    }

    public void Dispose()
    {
        lock (gate)
        {
            isGone = true;
            cipher.Dispose();
            nonces.Dispose();
        }
    }
}
