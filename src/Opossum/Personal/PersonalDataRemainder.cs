namespace Opossum;

/// <summary>A file that still has personal data of a forgotten person in plain, or may have it.</summary>
public sealed record PersonalDataRemainder
{
    /// <summary>The file or folder.</summary>
    public required string Path { get; init; }

    /// <summary>Why it was not removed, and what to do.</summary>
    public required string Problem { get; init; }
}
