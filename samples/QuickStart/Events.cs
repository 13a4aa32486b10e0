using Opossum;

namespace QuickStart;

// The events. [EventType] gives the name that is stored, so the class can be renamed; [Tag] marks what an event can be queried by.

[EventType("course-defined")]
public sealed record CourseDefined([property: Tag("course")] string Course, string Title, int Capacity);

[EventType("student-subscribed")]
public sealed record StudentSubscribed([property: Tag("course")] string Course, [property: Tag("student")] string Student);
