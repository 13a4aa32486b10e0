namespace Opossum;

/// <summary>A place where a text was found.</summary>
/// <param name="Place">The kind of place.</param>
/// <param name="Path">The file.</param>
/// <param name="Offset">The offset in the file in bytes; null: it is in the file's name.</param>
/// <param name="Position">The position of the event; null when it is not one.</param>
/// <param name="EventType">The event's type; null when it is not one.</param>
/// <param name="Member">The path of the member in the file's JSON, such as <c>data.email</c> or <c>tags[0]</c>; null when unknown.</param>
/// <param name="Projection">The projection's name; null when the file is not a projection's.</param>
/// <param name="Key">The key of the projection's state; null when it is not a state.</param>
public sealed record PersonalDataHit(PersonalDataPlace Place, string Path, long? Offset, long? Position, string? EventType, string? Member,
    string? Projection, string? Key);
