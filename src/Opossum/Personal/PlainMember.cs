namespace Opossum;

/// <summary>A member of a new event that is personal data and would be stored in plain.</summary>
/// <param name="Event">The event's place among the new ones, from 0.</param>
/// <param name="Member">The member's path.</param>
/// <param name="ShownBy">The position of an event of the type in which the member is encrypted.</param>
public sealed record PlainMember(int Event, string Member, long ShownBy);
