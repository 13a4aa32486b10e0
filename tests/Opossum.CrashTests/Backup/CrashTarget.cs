using Opossum.Testing.Simulated;

namespace Opossum.Tests.Backup;

/// <summary>Something that writes a folder, and what must be there before.</summary>
internal sealed record CrashTarget(string Name, string Path, Action<SimulatedDisk> Prepare, Action<SimulatedFileSystem> Run)
{
    public bool IsAllOrNothing { get; init; }

    public bool StartsWhole { get; init; } = true;

    /// <summary>What is changed in a disk before it is used.</summary>
    public Action<SimulatedDisk>? Adjust { get; init; }

    /// <summary>What must hold, besides that it is a prefix, wherever it is interrupted.</summary>
    public Action<SimulatedDisk>? CheckPart { get; init; }

    /// <summary>What must be there besides the events once it has run.</summary>
    public Action<SimulatedDisk>? CheckDone { get; init; }
}
