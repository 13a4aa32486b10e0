using System.Collections.Immutable;
using Opossum;

namespace CourseManagement;

/// <summary>What a decision may have to know. Each fact names the events it rests on, so a decision is in conflict with those only.</summary>
internal static class Facts
{
    /// <summary>A course's seats; null: there is no such course.</summary>
    public static DecisionProjection<int?> Capacity(string courseId) =>
        DecisionProjection.Create<int?>(null, new Tag("course", courseId))
            .On<CourseDefined>((_, e) => e.Capacity)
            .On<CourseCapacityChanged>((_, e) => e.Capacity);

    /// <summary>How many seats of a course are taken.</summary>
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
