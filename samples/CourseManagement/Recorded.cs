namespace CourseManagement;

/// <summary>The answer to a command that was carried out.</summary>
/// <param name="Position">The event's position. A read with <c>?after=</c> this position sees what the command did.</param>
public sealed record Recorded(long Position);
