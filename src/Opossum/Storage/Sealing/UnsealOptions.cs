namespace Opossum;

/// <summary>Which folders are unsealed: those with events after <see cref="After"/>, up to <see cref="UpTo"/>.</summary>
public sealed record UnsealOptions
{
    /// <summary>The position after which events are unsealed, with the others of their folders. Default: 0, all.</summary>
    public long After { get; init; }

    /// <summary>The last position that is unsealed, with the others of its folder. Null, the default: all.</summary>
    public long? UpTo { get; init; }
}
