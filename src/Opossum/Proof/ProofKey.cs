using System.Security.Cryptography;
using Opossum.Maintenance;

namespace Opossum;

/// <summary>A private key that signs checkpoints. Keep it beside the app, not in the store: with it, another history can be signed.</summary>
/// <example><code>
/// using var key = ProofKey.Create("shop.example");
/// await File.WriteAllTextAsync("shop.key", key.ToPem());
/// Console.WriteLine(key.Verifier);
/// </code></example>
public sealed class ProofKey : IDisposable
{
    private const string NameLabel = "Name: ";

    private readonly ECDsa key;

    private ProofKey(string name, ECDsa key)
    {
        this.key = key;
        Name = name;
        Verifier = new ProofVerifier(name, key.ExportSubjectPublicKeyInfo());
    }

    /// <summary>The name of the key, which every signature states.</summary>
    public string Name { get; }

    /// <summary>Verifies the signatures of this key.</summary>
    public ProofVerifier Verifier { get; }

    /// <summary>Creates a new key: ECDSA on the curve P-256.</summary>
    /// <param name="name">A name for people, such as the app's domain: at least one character, without white space and without a plus sign.</param>
    /// <exception cref="ArgumentException">The name is not allowed.</exception>
    public static ProofKey Create(string name)
    {
        ThrowIfNoName(name, nameof(name));
        return new ProofKey(name, ECDsa.Create(ECCurve.NamedCurves.nistP256));
    }

    /// <summary>Reads a key.</summary>
    /// <param name="pem">What <see cref="ToPem"/> gave.</param>
    /// <exception cref="FormatException">It is not such a text.</exception>
    public static ProofKey FromPem(string pem)
    {
        ArgumentNullException.ThrowIfNull(pem);
        var first = pem.AsSpan().TrimStart();
        first = first[..(first.IndexOf('\n') is >= 0 and var end ? end : first.Length)];
        var name = first.StartsWith(NameLabel, StringComparison.Ordinal) ? first[NameLabel.Length..].Trim().ToString() : "";
        var key = ECDsa.Create();
        try
        {
            ThrowIfNoName(name, nameof(pem));
            key.ImportFromPem(pem);
            // A public key is read too, and cannot sign.
            _ = key.SignData([], HashAlgorithmName.SHA256);
            return new ProofKey(name, key);
        }
        catch (Exception e) when (e is ArgumentException or CryptographicException)
        {
            key.Dispose();
            // The cause is left out, because its message may quote the text.
            throw new FormatException("This is not a proof key: a line \"Name: ...\" and a private key in PEM, as ProofKey.ToPem and opossum "
                + "proof key give it.");
        }
    }

    /// <summary>The key as text: a line with its name, and the private key in PEM (PKCS #8), not encrypted.</summary>
    public string ToPem() => $"{NameLabel}{Name}\n{key.ExportPkcs8PrivateKeyPem()}\n";

    /// <summary>The name; never the key.</summary>
    public override string ToString() => Name;

    /// <summary>Removes the key from memory.</summary>
    public void Dispose() => key.Dispose();

    internal byte[] Sign(ReadOnlySpan<byte> text) => key.SignData(text, HashAlgorithmName.SHA256, DSASignatureFormat.Rfc3279DerSequence);

    // As signed-note has it.
    private static void ThrowIfNoName(string name, string parameter)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name, parameter);
        if (name.Contains('+', StringComparison.Ordinal) || name.Any(char.IsWhiteSpace))
            throw new ArgumentException($"The name \"{name}\" of a proof key holds white space or a plus sign.", parameter);
    }
}
