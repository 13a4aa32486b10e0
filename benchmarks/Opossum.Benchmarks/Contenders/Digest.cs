using Opossum.Serialization;

namespace Opossum.Benchmarks.Contenders;

/// <summary>The count, total length and sum of checksums of payloads: equal for the same payloads in any order.</summary>
internal readonly record struct Digest(int Events, long Bytes, ulong Checksums)
{
    public Digest With(ReadOnlySpan<byte> json) => new(Events + 1, Bytes + json.Length, Checksums + Crc32C.Of(json));

    public Digest With(Digest other) => new(Events + other.Events, Bytes + other.Bytes, Checksums + other.Checksums);

    /// <exception cref="InvalidDataException">The payloads read differ from those appended.</exception>
    public void ThrowUnlessReadBack(Digest readBack, string by)
    {
        if (readBack != this)
            throw new InvalidDataException($"{by} gave back {readBack}, but {this} was appended.");
    }
}
