namespace Opossum;

/// <summary>A personal member of an event that cannot be read: its value in the JSON is null, in the object null or the placeholder.</summary>
public readonly record struct UnreadableMember
{
    /// <summary>The member's path in the event's data, such as <c>email</c> or <c>contacts[0].phone</c>.</summary>
    public required string Path { get; init; }

    /// <summary>The person that the member is about.</summary>
    public required Tag Subject { get; init; }

    /// <summary>Why it cannot be read.</summary>
    public required UnreadableReason Reason { get; init; }
}
