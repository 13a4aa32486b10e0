namespace Opossum.DocTests;

[EventType("course-defined")]
public record CourseDefined([property: Tag("course")] string CourseId, int Seats);

[EventType("student-subscribed")]
public record StudentSubscribed([property: Tag("course")] string CourseId, [property: Tag("student")] string StudentId);
