namespace Opossum.Maintenance;

/// <summary>A file that has personal data in plain, or may have it, because it could not be searched or changed.</summary>
public sealed record PersonalDataProblem
{
    /// <summary>The file or folder.</summary>
    public required string Path { get; init; }

    /// <summary>What hinders, and what to do.</summary>
    public required string Problem { get; init; }
}
