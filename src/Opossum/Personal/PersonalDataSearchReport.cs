namespace Opossum.Maintenance;

/// <summary>Where a text lies, in plain, in a store's folder.</summary>
public sealed record PersonalDataSearchReport
{
    /// <summary>How often it was found.</summary>
    public required long Total { get; init; }

    /// <summary>The first 1,000 places.</summary>
    public required IReadOnlyList<PersonalDataHit> Hits { get; init; }

    /// <summary>The number of files that were searched, to their end.</summary>
    public required long Files { get; init; }

    /// <summary>The number of bytes that were searched.</summary>
    public required long Bytes { get; init; }

    /// <summary>
    /// What could not be searched, at most the first 1,000: the answer is not complete unless this is empty.
    /// </summary>
    public required IReadOnlyList<PersonalDataProblem> NotSearched { get; init; }

    /// <summary>What the folder of keys has for the text as a person's tag; null when it is not a tag.</summary>
    public required PersonKey? Person { get; init; }
}
