namespace Opossum;

/// <summary>The options of unsealing.</summary>
public sealed record StoreUnsealOptions
{
    /// <summary>The first position whose folder is unsealed. Default: 1.</summary>
    public long FromPosition { get; init; } = 1;

    /// <summary>The last position whose folder is unsealed. Null, the default: the last one.</summary>
    public long? UpToPosition { get; init; }
}
