namespace Opossum;

/// <summary>A personal member of an event that cannot be read: its value in the JSON is null, in the object null or the placeholder.</summary>
/// <param name="Path">The member's path in the event's data, such as <c>email</c> or <c>contacts[0].phone</c>.</param>
/// <param name="Subject">The person that the member is about.</param>
/// <param name="Reason">Why it cannot be read.</param>
public readonly record struct LostMember(string Path, Tag Subject, LostMemberReason Reason);
