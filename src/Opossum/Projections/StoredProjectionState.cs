namespace Opossum;

/// <summary>The state of a key as it is stored: personal values are encrypted.</summary>
public sealed record StoredProjectionState
{
    /// <summary>The key.</summary>
    public required string Key { get; init; }

    /// <summary>The position of the last event applied to the state.</summary>
    public required long Position { get; init; }

    /// <summary>The state's tags.</summary>
    public required IReadOnlyList<Tag> Tags { get; init; }

    /// <summary>The state as JSON, without insignificant white space.</summary>
    public required ReadOnlyMemory<byte> StoredJson { get; init; }
}
