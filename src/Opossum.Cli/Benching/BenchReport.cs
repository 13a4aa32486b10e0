namespace Opossum.Cli.Benching;

/// <summary>The report of <c>opossum bench</c>.</summary>
internal sealed record BenchReport
{
    /// <summary>The folder on whose disk it was measured.</summary>
    public required string Path { get; init; }

    public required string FileSystem { get; init; }

    public required bool IsNetwork { get; init; }

    public required FlushMethod Flush { get; init; }

    /// <summary>The options of the mount, where the system tells them.</summary>
    public required IReadOnlyList<string> MountOptions { get; init; }

    public required IReadOnlyList<BenchFigure> Figures { get; init; }

    /// <summary>What to look at or to change; empty when the figures and the options give no cause.</summary>
    public required IReadOnlyList<string> Advice { get; init; }
}
