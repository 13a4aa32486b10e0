namespace Opossum;

/// <summary>A member of a new event that is personal data and would be stored in plain.</summary>
public sealed record PlainMember
{
    /// <summary>The event's place among the new ones, from 0.</summary>
    public required int Event { get; init; }

    /// <summary>The member's path.</summary>
    public required string Member { get; init; }

    /// <summary>The position of an event of the type in which the member is encrypted; 0: the store's schema of the type says so.</summary>
    public required long ShownBy { get; init; }
}
