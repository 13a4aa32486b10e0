using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Opossum.Proof;

/// <summary>A hash of the Merkle tree over the events: SHA-256, as RFC 6962, section 2.1, defines it for leaves and nodes.</summary>
internal readonly record struct TreeHash(UInt128 High, UInt128 Low)
{
    public const int Length = 32;

    private const byte NodePrefix = 1;

    /// <summary>The byte before a leaf's text, so that no leaf has the hash of a node.</summary>
    public const byte LeafPrefix = 0;

    /// <summary>The root of a tree without leaves.</summary>
    public static TreeHash Empty { get; } = Sha256([]);

    public static TreeHash OfLeaf(ReadOnlySpan<byte> prefixedText) => Sha256(prefixedText);

    public static TreeHash OfNode(TreeHash left, TreeHash right)
    {
        Span<byte> both = stackalloc byte[1 + (2 * Length)];
        both[0] = NodePrefix;
        left.CopyTo(both[1..]);
        right.CopyTo(both[(1 + Length)..]);
        return Sha256(both);
    }

    /// <summary>The root of a perfect tree over a power of two of hashes, which the call overwrites.</summary>
    public static TreeHash OfPerfect(Span<TreeHash> hashes)
    {
        for (var count = hashes.Length; count > 1; count /= 2)
        {
            for (var at = 0; at < count; at += 2)
                hashes[at / 2] = OfNode(hashes[at], hashes[at + 1]);
        }
        return hashes[0];
    }

    public static TreeHash Read(ReadOnlySpan<byte> bytes) =>
        new(BinaryPrimitives.ReadUInt128BigEndian(bytes), BinaryPrimitives.ReadUInt128BigEndian(bytes[16..]));

    public void CopyTo(Span<byte> target)
    {
        BinaryPrimitives.WriteUInt128BigEndian(target, High);
        BinaryPrimitives.WriteUInt128BigEndian(target[16..], Low);
    }

    /// <summary>The hash in base64, as proofs and checkpoints state it.</summary>
    public override string ToString()
    {
        Span<byte> bytes = stackalloc byte[Length];
        CopyTo(bytes);
        return Convert.ToBase64String(bytes);
    }

    public static bool TryParse(string text, out TreeHash hash)
    {
        Span<byte> bytes = stackalloc byte[Length + 1];
        var isHash = Convert.TryFromBase64String(text, bytes, out var length) && length == Length;
        hash = isHash ? Read(bytes) : default;
        return isHash && hash.ToString() == text;
    }

    private static TreeHash Sha256(ReadOnlySpan<byte> bytes)
    {
        Span<byte> hash = stackalloc byte[Length];
        SHA256.HashData(bytes, hash);
        return Read(hash);
    }
}
