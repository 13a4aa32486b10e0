using CourseManagement.Courses;
using CourseManagement.Students;
using Opossum;

namespace CourseManagement;

/// <summary>
/// Reads a course with its students, or a student with the courses taken, from the events: all of it after the same event. The lists are read
/// models, each of which follows the events on its own, so two of them together may contradict each other for a moment.
/// </summary>
internal static class Pictures
{
    /// <summary>Reads a course and its students; null when the course does not exist.</summary>
    public static async Task<(long Position, CourseOverview Course, IEnumerable<CourseStudent> Students)?> ReadCourseAsync(
        this IEventStore store, string courseId, CancellationToken cancellationToken)
    {
        var events = store.ReadAsync(Query.FromTags(new Tag("course", courseId)), cancellationToken: cancellationToken);
        CourseOverview? course = null;
        var students = new HashSet<string>();
        await foreach (var e in events)
        {
            course = CourseOverview.Next(course, e.Data);
            if (e.Data is StudentSubscribed subscribed)
                students.Add(subscribed.StudentId);
            else if (e.Data is StudentUnsubscribed unsubscribed)
                students.Remove(unsubscribed.StudentId);
        }
        if (course is null)
            return null;

        var names = new List<CourseStudent>();
        var registrations = AnyOf("student", students).Select(tag => Query.For<StudentRegistered>(tag).Items[0]);
        await foreach (var e in store.ReadUpToAsync(registrations, events.Head, cancellationToken))
        {
            var registered = (StudentRegistered)e.Data!;
            names.Add(new CourseStudent(registered.StudentId, registered.Name));
        }
        return (events.Head, course, names);
    }

    /// <summary>Reads a student and the courses taken; null when the student is not registered.</summary>
    public static async Task<StudentDetails?> ReadStudentAsync(this IEventStore store, string studentId, CancellationToken cancellationToken)
    {
        var events = store.ReadAsync(Query.FromTags(new Tag("student", studentId)), cancellationToken: cancellationToken);
        StudentOverview? student = null;
        await foreach (var e in events)
            student = StudentOverview.Next(student, e.Data);
        if (student is null)
            return null;

        var courses = student.CourseIds.ToDictionary(courseId => courseId, _ => (CourseOverview?)null);
        var items = AnyOf("course", student.CourseIds).Select(tag => new QueryItem { Tags = [tag] });
        await foreach (var e in store.ReadUpToAsync(items, events.Head, cancellationToken))
        {
            var courseId = e.Tags.First(tag => tag.Key == "course").Value;
            courses[courseId] = CourseOverview.Next(courses[courseId], e.Data);
        }
        return new StudentDetails(events.Head, student, [.. student.CourseIds.Select(courseId => courses[courseId]!)]);
    }

    private static IEnumerable<Tag> AnyOf(string key, IEnumerable<string> values) => values.Select(value => new Tag(key, value));

    private static IAsyncEnumerable<SequencedEvent> ReadUpToAsync(this IEventStore store, IEnumerable<QueryItem> items, long position,
        CancellationToken cancellationToken)
    {
        QueryItem[] any = [.. items];
        return any.Length == 0
            ? AsyncEnumerable.Empty<SequencedEvent>()
            : store.ReadAsync(Query.FromItems(any), new ReadOptions { UpTo = position }, cancellationToken);
    }
}
