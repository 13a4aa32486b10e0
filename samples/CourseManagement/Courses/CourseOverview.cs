namespace CourseManagement.Courses;

/// <summary>A course in a list.</summary>
/// <param name="CourseId">The course.</param>
/// <param name="Title">Its title.</param>
/// <param name="Capacity">Its seats.</param>
/// <param name="Subscribed">The number of subscribed students; more than the capacity if that was lowered.</param>
public sealed record CourseOverview(string CourseId, string Title, int Capacity, int Subscribed)
{
    /// <summary>Whether no seat is free.</summary>
    public bool IsFull => Subscribed >= Capacity;

    /// <summary>The course after one more of its events; null before it is defined.</summary>
    internal static CourseOverview? Next(CourseOverview? course, object? e) => e switch
    {
        CourseDefined defined => new CourseOverview(defined.CourseId, defined.Title, defined.Capacity, 0),
        CourseCapacityChanged changed => course! with { Capacity = changed.Capacity },
        StudentSubscribed => course! with { Subscribed = course.Subscribed + 1 },
        StudentUnsubscribed => course! with { Subscribed = course.Subscribed - 1 },
        _ => course,
    };
}
