using Opossum.FileSystem;

namespace Opossum.Testing.Simulated;

/// <summary>An error that the next matching operation fails with.</summary>
internal sealed class Fault
{
    public required Func<SimulatedOperation, bool> When { get; init; }

    public FileError Error { get; init; } = FileError.Other;

    /// <summary>Whether every such operation fails until the disk is mended, not only the next.</summary>
    public bool Lasts { get; init; }

    /// <summary>The share of a failing write that still arrives, from 0 to 1.</summary>
    public double ArrivingShare { get; init; }

    /// <summary>
    /// Whether a failing flush marks the bytes clean although they are not on disk, as Linux does: later flushes skip them, reads still
    /// see them, and a power cut removes them.
    /// </summary>
    public bool DropsDirtyBytes { get; init; }

    public int Hits { get; set; }
}
