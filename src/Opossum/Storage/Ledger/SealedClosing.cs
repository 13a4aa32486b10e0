namespace Opossum.Storage.Ledger;

/// <summary>What the closing line of a sealed file states.</summary>
/// <param name="Bytes">The bytes of the event lines with their line feeds.</param>
/// <param name="Every">The number of lines in a block.</param>
internal sealed record SealedClosing(long First, long Last, int Bytes, int Every, int[] Starts)
{
    /// <summary>The bytes of the closing line that the checksum covers.</summary>
    public int Covered { get; init; }

    public uint Checksum { get; init; }
}
