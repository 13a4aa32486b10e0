using Opossum.Testing.Simulated;

namespace Opossum.Tests.Backup;

/// <summary>Something that writes a folder, and what must be there before.</summary>
internal sealed record CrashTarget(string Name, string Path, Action<SimulatedDisk> Prepare, Action<SimulatedFileSystem> Run)
{
    public bool IsAllOrNothing { get; init; }

    public bool StartsWhole { get; init; } = true;
}
