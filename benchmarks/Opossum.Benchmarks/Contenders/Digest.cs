using Opossum.Serialization;

namespace Opossum.Benchmarks.Contenders;

/// <summary>How many payloads there are, how long they are together, and a sum of their checksums: equal for the same payloads in any order.</summary>
internal readonly record struct Digest(int Events, long Bytes, ulong Checksums)
{
    public Digest With(ReadOnlySpan<byte> json) => new(Events + 1, Bytes + json.Length, Checksums + Crc32C.Of(json));

    public Digest With(Digest other) => new(Events + other.Events, Bytes + other.Bytes, Checksums + other.Checksums);

    /// <exception cref="InvalidDataException">What was read back is not what was appended.</exception>
    public void ThrowUnlessReadBack(Digest readBack, string by)
    {
        if (readBack != this)
            throw new InvalidDataException($"{by} gave back {readBack}, but {this} was appended.");
    }
}
