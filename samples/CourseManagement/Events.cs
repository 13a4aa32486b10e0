using Opossum;

namespace CourseManagement;

// The events, and the tags they are queried by. Everything else, the rules and the lists, is derived from them.

[EventType("course-defined")]
public sealed record CourseDefined([property: Tag("course")] string CourseId, string Title, int Capacity);

[EventType("course-capacity-changed")]
public sealed record CourseCapacityChanged([property: Tag("course")] string CourseId, int Capacity);

[EventType("student-registered")]
public sealed record StudentRegistered([property: Tag("student")] string StudentId, string Name);

[EventType("student-subscribed")]
public sealed record StudentSubscribed([property: Tag("course")] string CourseId, [property: Tag("student")] string StudentId);

[EventType("student-unsubscribed")]
public sealed record StudentUnsubscribed([property: Tag("course")] string CourseId, [property: Tag("student")] string StudentId);
