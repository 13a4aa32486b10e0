using System.Buffers.Binary;
using System.Text;
using Opossum.Maintenance;

namespace Opossum.Proof;

/// <summary>A signed note, as C2SP's signed-note defines it: a text, an empty line, and a line for each signature.</summary>
internal static class SignedNote
{
    // An em dash and a space begin the line of a signature.
    private const string SignatureStart = "\u2014 ";

    /// <summary>Signs a text, whose last line ends with a line feed.</summary>
    public static string Sign(string text, ProofKey key)
    {
        var signature = key.Sign(Encoding.UTF8.GetBytes(text));
        var line = new byte[4 + signature.Length];
        BinaryPrimitives.WriteUInt32BigEndian(line, key.Verifier.KeyId);
        signature.CopyTo(line, 4);
        return $"{text}\n{SignatureStart}{key.Name} {Convert.ToBase64String(line)}\n";
    }

    /// <summary>The text of a note that a key has signed; other keys' signatures are passed over.</summary>
    /// <exception cref="FormatException">It is not a signed note, or the key's signature is missing or does not match.</exception>
    public static string Open(string note, ProofVerifier verifier)
    {
        var text = Text(note);
        foreach (var line in note[(text.Length + 1)..].Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            if (ParseSignature(line) is var (name, keyId, signature) && name == verifier.Name && keyId == verifier.KeyId)
            {
                return verifier.Verify(Encoding.UTF8.GetBytes(text), signature)
                    ? text
                    : throw new FormatException($"the signature of {verifier.Name} does not match: the checkpoint was changed after it was signed");
            }
        }
        throw new FormatException($"it has no signature of the key {verifier.Name} with the id {verifier.KeyId:x8}");
    }

    /// <summary>The text of a note; its signatures are not verified.</summary>
    /// <exception cref="FormatException">It is not a signed note.</exception>
    public static string Text(string note)
    {
        var end = note.LastIndexOf("\n\n", StringComparison.Ordinal);
        return end > 0 && note[(end + 2)..].StartsWith(SignatureStart, StringComparison.Ordinal)
            ? note[..(end + 1)]
            : throw new FormatException("it is not a signed note: a text, an empty line and a signature");
    }

    private static (string Name, uint KeyId, byte[] Signature)? ParseSignature(string line)
    {
        var parts = line.StartsWith(SignatureStart, StringComparison.Ordinal) ? line[SignatureStart.Length..].Split(' ') : [];
        if (parts.Length != 2)
            return null;
        var bytes = new byte[parts[1].Length];
        return Convert.TryFromBase64String(parts[1], bytes, out var length) && length > 4
            ? (parts[0], BinaryPrimitives.ReadUInt32BigEndian(bytes), bytes[4..length])
            : null;
    }
}
