namespace CourseManagement;

/// <summary>The response to a successful command.</summary>
/// <param name="Position">The event's position. A read with <c>?after=</c> this position sees the command's effect.</param>
public sealed record Recorded(long Position);
