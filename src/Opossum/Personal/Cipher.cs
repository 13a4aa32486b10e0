using System.Security.Cryptography;

namespace Opossum.Personal;

/// <summary>AES-256-GCM, with the nonce and the tag before the ciphertext.</summary>
internal static class Cipher
{
    public const int KeyLength = 32;
    public const int NonceLength = 12;

    /// <summary>The bytes that encryption adds.</summary>
    public const int Overhead = NonceLength + TagLength;

    private const int TagLength = 16;

    /// <summary>The cipher with a key, for several texts one after another: making it takes as long as a short text.</summary>
    public static AesGcm Open(ReadOnlySpan<byte> key) => new(key, TagLength);

    /// <summary>Encrypts a text. A nonce must never be used for two texts.</summary>
    /// <param name="nonce">The nonce.</param>
    /// <param name="context">What the text is bound to: it is decrypted only with the same.</param>
    public static byte[] Encrypt(ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> text, ReadOnlySpan<byte> context)
    {
        using var aes = Open(key);
        return Encrypt(aes, nonce, text, context);
    }

    /// <inheritdoc cref="Encrypt(ReadOnlySpan{byte}, ReadOnlySpan{byte}, ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>
    public static byte[] Encrypt(AesGcm aes, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> text, ReadOnlySpan<byte> context)
    {
        var result = new byte[Overhead + text.Length];
        nonce.CopyTo(result);
        aes.Encrypt(nonce, text, result.AsSpan(Overhead), result.AsSpan(NonceLength, TagLength), context);
        return result;
    }

    /// <summary>Decrypts; null when the key or the context is another one, or a byte was changed.</summary>
    public static byte[]? Decrypt(ReadOnlySpan<byte> key, ReadOnlySpan<byte> encrypted, ReadOnlySpan<byte> context)
    {
        using var aes = Open(key);
        return Decrypt(aes, encrypted, context);
    }

    /// <inheritdoc cref="Decrypt(ReadOnlySpan{byte}, ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>
    public static byte[]? Decrypt(AesGcm aes, ReadOnlySpan<byte> encrypted, ReadOnlySpan<byte> context)
    {
        if (encrypted.Length < Overhead)
            return null;
        var text = new byte[encrypted.Length - Overhead];
        try
        {
            aes.Decrypt(encrypted[..NonceLength], encrypted[Overhead..], encrypted.Slice(NonceLength, TagLength), text, context);
            return text;
        }
        catch (AuthenticationTagMismatchException)
        {
            return null;
        }
    }
}
