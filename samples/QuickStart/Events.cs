using Opossum;

namespace QuickStart;

// What can happen. The name in [EventType] is what is stored, so the class may be renamed; [Tag] says by what an event is found again.

[EventType("course-defined")]
public sealed record CourseDefined([property: Tag("course")] string Course, string Title, int Capacity);

[EventType("student-subscribed")]
public sealed record StudentSubscribed([property: Tag("course")] string Course, [property: Tag("student")] string Student);
