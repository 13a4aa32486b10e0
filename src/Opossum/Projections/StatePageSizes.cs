namespace Opossum.Projections;

/// <summary>The sizes of pages of stored states. Tests use smaller ones.</summary>
internal sealed record StatePageSizes
{
    /// <summary>
    /// Deleted states have files for a while. A page ends after this many files, and the next one continues.
    /// </summary>
    public int FilesMax { get; init; } = 4_096;

    /// <summary>A page with larger states has fewer of them, and at least one.</summary>
    public int BytesMax { get; init; } = 8 * 1024 * 1024;
}
