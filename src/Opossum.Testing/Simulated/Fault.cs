using Opossum.FileSystem;

namespace Opossum.Testing.Simulated;

/// <summary>An error that waits for its operation.</summary>
internal sealed class Fault
{
    public required Func<SimulatedOperation, bool> When { get; init; }

    public FileError Error { get; init; } = FileError.Other;

    /// <summary>It fails every such operation until it is mended, not only the next.</summary>
    public bool Lasts { get; init; }

    /// <summary>How much of a failing write arrives all the same, from 0 to 1.</summary>
    public double ArrivingShare { get; init; }

    /// <summary>
    /// A failing flush marks the bytes clean though they are not on the disk, as Linux does: later flushes pass them over, reads still
    /// see them, a power cut takes them.
    /// </summary>
    public bool DropsDirtyBytes { get; init; }

    public int Hits { get; set; }
}
