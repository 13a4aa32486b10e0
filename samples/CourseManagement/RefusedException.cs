namespace CourseManagement;

/// <summary>A rule forbids the request, or its subject does not exist. Reported as problem details.</summary>
public sealed class RefusedException(int status, string title, string detail) : Exception(detail)
{
    public int Status => status;

    public string Title => title;

    public static RefusedException CourseNotFound(string courseId) => NotFound("Course not found", $"There is no course {courseId}.");

    public static RefusedException StudentNotFound(string studentId) => NotFound("Student not found", $"There is no student {studentId}.");

    public static RefusedException SubscriptionNotFound(string courseId, string studentId) =>
        NotFound("Subscription not found", $"Student {studentId} is not subscribed to course {courseId}.");

    public static RefusedException CourseExists(string courseId) =>
        Conflict("Course exists", $"There is a course {courseId} already. Choose another id.");

    public static RefusedException StudentExists(string studentId) =>
        Conflict("Student exists", $"There is a student {studentId} already. Choose another id.");

    public static RefusedException CapacityUnchanged(int capacity) =>
        Conflict("Capacity unchanged", $"The course has {capacity} {(capacity == 1 ? "seat" : "seats")} already.");

    public static RefusedException CourseFull(int capacity) =>
        Conflict("Course full", capacity == 1 ? "Its only seat is taken." : $"All {capacity} seats are taken.");

    public static RefusedException AlreadySubscribed(string courseId, string studentId) =>
        Conflict("Already subscribed", $"Student {studentId} is subscribed to course {courseId} already.");

    public static RefusedException TooManyCourses(string studentId, int max) =>
        Conflict("Too many courses", $"Student {studentId} takes {max} courses already, which is the most.");

    private static RefusedException NotFound(string title, string detail) => new(StatusCodes.Status404NotFound, title, detail);

    private static RefusedException Conflict(string title, string detail) => new(StatusCodes.Status409Conflict, title, detail);
}
