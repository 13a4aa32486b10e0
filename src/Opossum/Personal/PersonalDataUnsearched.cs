namespace Opossum;

/// <summary>A file or folder that could not be searched.</summary>
public sealed record PersonalDataUnsearched
{
    /// <summary>The path.</summary>
    public required string Path { get; init; }

    /// <summary>Why.</summary>
    public required string Reason { get; init; }
}
