using System.Buffers.Binary;
using System.Globalization;
using System.Security.Cryptography;

namespace Opossum.Maintenance;

/// <summary>The public half of a <see cref="ProofKey"/>: it verifies the signatures of checkpoints. It is no secret.</summary>
/// <remarks>Its text is a verifier key of C2SP's signed-note, <c>name+id+base64</c>, for an ECDSA key on the curve P-256.</remarks>
public sealed class ProofVerifier
{
    // The signature type of signed-note for ECDSA with SHA-256; the key is in the form of SubjectPublicKeyInfo.
    private const byte EcdsaType = 2;

    private readonly byte[] publicKey;

    internal ProofVerifier(string name, byte[] publicKey)
    {
        Name = name;
        this.publicKey = publicKey;
        KeyId = BinaryPrimitives.ReadUInt32BigEndian(SHA256.HashData(publicKey));
    }

    /// <summary>The name of the key.</summary>
    public string Name { get; }

    internal uint KeyId { get; }

    /// <summary>Parses what <see cref="ToString"/> gives.</summary>
    /// <param name="text">The text: <c>name+id+base64</c>.</param>
    /// <exception cref="FormatException">It is not the text of a verifier.</exception>
    public static ProofVerifier Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var parts = text.Trim().Split('+', 3);
        var bytes = new byte[text.Length];
        if (parts.Length != 3 || !Convert.TryFromBase64String(parts[2], bytes, out var length) || length < 2 || bytes[0] != EcdsaType)
        {
            throw new FormatException("This is not the text of a verifier, which is name+id+base64 as ProofVerifier.ToString and opossum "
                + "proof key give it.");
        }
        var publicKey = bytes[1..length];
        try
        {
            using var imported = ECDsa.Create();
            imported.ImportSubjectPublicKeyInfo(publicKey, out _);
        }
        catch (CryptographicException e)
        {
            throw new FormatException($"The verifier {parts[0]} does not hold an ECDSA key: {e.Message}", e);
        }
        var verifier = new ProofVerifier(parts[0], publicKey);
        return parts[1] == verifier.KeyId.ToString("x8", CultureInfo.InvariantCulture)
            ? verifier
            : throw new FormatException(
                $"The verifier {parts[0]} states the id {parts[1]}, but its key has the id {verifier.KeyId:x8}: it was changed.");
    }

    /// <summary>The verifier as text, to give to those who verify.</summary>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Name}+{KeyId:x8}+{Convert.ToBase64String([EcdsaType, .. publicKey])}");

    internal bool Verify(ReadOnlySpan<byte> text, ReadOnlySpan<byte> signature)
    {
        using var key = ECDsa.Create();
        key.ImportSubjectPublicKeyInfo(publicKey, out _);
        return key.VerifyData(text, signature, HashAlgorithmName.SHA256, DSASignatureFormat.Rfc3279DerSequence);
    }
}
