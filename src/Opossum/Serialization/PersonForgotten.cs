namespace Opossum;

/// <summary>
/// The event that a store appends when a person was forgotten, with the person's tag: projections and subscriptions handle it to remove what they
/// have copied elsewhere. Every store knows this type; it needs no registration. An append of an app may not have it.
/// </summary>
[EventType(Name)]
public sealed record PersonForgotten
{
    /// <summary>The person, in the tag's written form, such as <c>customer:c1</c>.</summary>
    public required string Subject { get; init; }

    /// <summary>The reason given.</summary>
    public required string Reason { get; init; }

    /// <summary>The name of the event's type: <c>opossum.person-forgotten</c>.</summary>
    public const string Name = "opossum.person-forgotten";
}
