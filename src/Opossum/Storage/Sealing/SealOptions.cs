namespace Opossum;

/// <summary>The options of sealing.</summary>
public sealed record SealOptions
{
    /// <summary>
    /// The number of newest folders that are not sealed, the one that is being filled included. Default: 2. From 1 to 214,748.
    /// </summary>
    public int KeepNewestFolders { get; init; } = 2;
}
