using System.Collections.Immutable;
using Opossum;

namespace CourseManagement;

/// <summary>The facts that decisions need. Each fact names the events it is based on, so a decision conflicts only with those.</summary>
internal static class Facts
{
    /// <summary>A course's seats; null when the course does not exist.</summary>
    public static DecisionProjection<int?> Capacity(string courseId) =>
        DecisionProjection.Create<int?>(null, new Tag("course", courseId))
            .On<CourseDefined>((_, e) => e.Capacity)
            .On<CourseCapacityChanged>((_, e) => e.Capacity);

    /// <summary>The number of taken seats of a course.</summary>
    public static DecisionProjection<int> SeatsTaken(string courseId) =>
        DecisionProjection.Create(0, new Tag("course", courseId))
            .On<StudentSubscribed>((taken, _) => taken + 1)
            .On<StudentUnsubscribed>((taken, _) => taken - 1);

    /// <summary>Whether a student is registered.</summary>
    public static DecisionProjection<bool> IsRegistered(string studentId) =>
        DecisionProjection.Create(false, new Tag("student", studentId))
            .On<StudentRegistered>((_, _) => true);

    /// <summary>The courses that a student is subscribed to.</summary>
    public static DecisionProjection<ImmutableHashSet<string>> CoursesOf(string studentId) =>
        DecisionProjection.Create(ImmutableHashSet<string>.Empty, new Tag("student", studentId))
            .On<StudentSubscribed>((courses, e) => courses.Add(e.CourseId))
            .On<StudentUnsubscribed>((courses, e) => courses.Remove(e.CourseId));

    /// <summary>Whether a student is subscribed to a course.</summary>
    public static DecisionProjection<bool> IsSubscribed(string courseId, string studentId) =>
        DecisionProjection.Create(false, new Tag("course", courseId), new Tag("student", studentId))
            .On<StudentSubscribed>((_, _) => true)
            .On<StudentUnsubscribed>((_, _) => false);
}
