namespace Opossum.Storage;

/// <summary>How runs are made and read.</summary>
internal sealed record RunSettings
{
    /// <summary>The most bytes of runs that a process keeps in memory for an open store.</summary>
    public long CacheBytes { get; init; } = 32 * 1024 * 1024;

    /// <summary>The number of positions of the smallest runs. They end with the first append that reaches a multiple of it.</summary>
    public int Length { get; init; } = 4096;

    /// <summary>The number of neighbouring runs that become one.</summary>
    public int Fan { get; init; } = 8;

    /// <summary>Whether an open store makes runs in the background. Tests make them step by step.</summary>
    public bool InBackground { get; init; } = true;

    /// <summary>The number of positions of the largest runs.</summary>
    public int LengthMax { get; init; } = 4096 * 8 * 8 * 8;
}
