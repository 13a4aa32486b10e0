namespace Opossum;

/// <summary>The use of one tag key in a store.</summary>
public readonly record struct TagKeyCount
{
    /// <summary>The key.</summary>
    public required string Key { get; init; }

    /// <summary>The number of events that carry at least one tag with this key.</summary>
    public required long Events { get; init; }

    /// <summary>The number of distinct tags with this key: of its values, and of the key alone as one.</summary>
    public required long Values { get; init; }
}
