using CourseManagement.Students;
using Microsoft.AspNetCore.Http.HttpResults;
using Opossum;

namespace CourseManagement.Courses;

/// <summary>Courses and the subscriptions to them, over HTTP.</summary>
public static class CourseEndpoints
{
    private const int CoursesPerStudentMax = 5;

    public static void MapCourses(this IEndpointRouteBuilder app)
    {
        var courses = app.MapGroup("/api/courses").WithTags("Courses");
        courses.MapGet("/", ListAsync).ProducesProblems(400);
        courses.MapGet("/{courseId}", GetAsync).ProducesProblems(400, 404);
        courses.MapPost("/", DefineAsync).ProducesProblems(400, 409);
        courses.MapPut("/{courseId}/capacity", ChangeCapacityAsync).ProducesProblems(400, 404, 409);
        courses.MapPost("/{courseId}/subscriptions", SubscribeAsync).ProducesProblems(400, 404, 409);
        courses.MapDelete("/{courseId}/subscriptions/{studentId}", UnsubscribeAsync).ProducesProblems(404, 409);
    }

    /// <summary>Lists the courses by title.</summary>
    /// <param name="courses">The read model.</param>
    /// <param name="full">True: the full ones only; false: those with a free seat only.</param>
    /// <param name="after">Waits until the list counts the event at this position.</param>
    /// <param name="cancellationToken">The request's end.</param>
    public static async Task<List<CourseOverview>> ListAsync(IProjectionStore<CourseOverview> courses, bool? full, long? after,
        CancellationToken cancellationToken)
    {
        await courses.CatchUpAsync(after, cancellationToken);
        var found = full is { } isFull
            ? courses.FindAsync([CourseOverviews.Full(isFull)], cancellationToken)
            : courses.ReadAllAsync(cancellationToken);
        return await found.Select(course => course.State).OrderBy(course => course.Title,
            StringComparer.OrdinalIgnoreCase).ToListAsync(cancellationToken);
    }

    /// <summary>Shows a course and its students.</summary>
    /// <param name="courses">The read model of courses.</param>
    /// <param name="students">The read model of students.</param>
    /// <param name="courseId">The course.</param>
    /// <param name="after">Waits until the answer counts the event at this position.</param>
    /// <param name="cancellationToken">The request's end.</param>
    public static async Task<CourseDetails> GetAsync(
        IProjectionStore<CourseOverview> courses, IProjectionStore<StudentOverview> students, string courseId, long? after,
        CancellationToken cancellationToken)
    {
        await courses.CatchUpAsync(after, cancellationToken);
        await students.CatchUpAsync(after, cancellationToken);
        var course = await courses.GetAsync(courseId, cancellationToken) ?? throw RefusedException.CourseNotFound(courseId);
        var taking = students.FindAsync([StudentOverviews.In(courseId)], cancellationToken);
        return new CourseDetails(course,
            await taking.Select(student => student.State).OrderBy(student => student.Name,
                StringComparer.OrdinalIgnoreCase).ToListAsync(cancellationToken));
    }

    /// <summary>Defines a course.</summary>
    public static async Task<Created<Recorded>> DefineAsync(IEventStore store, DefineCourse request, CancellationToken cancellationToken)
    {
        var recorded = await store.DecideAsync(
            Facts.Capacity(request.CourseId),
            capacity => capacity is null
                ? new CourseDefined(request.CourseId, request.Title, request.Capacity)
                : throw RefusedException.CourseExists(request.CourseId),
            cancellationToken);
        return TypedResults.Created($"/api/courses/{request.CourseId}", recorded);
    }

    /// <summary>Changes a course's number of seats.</summary>
    public static Task<Recorded> ChangeCapacityAsync(IEventStore store, string courseId, ChangeCapacity request,
        CancellationToken cancellationToken) =>
        store.DecideAsync(
            Facts.Capacity(courseId),
            capacity =>
            {
                if (capacity is null)
                    throw RefusedException.CourseNotFound(courseId);
                if (capacity == request.Capacity)
                    throw RefusedException.CapacityUnchanged(request.Capacity);
                return new CourseCapacityChanged(courseId, request.Capacity);
            },
            cancellationToken);

    /// <summary>Subscribes a student to a course.</summary>
    /// <remarks>The course has a free seat, and the student takes fewer than 5 courses and not this one yet.</remarks>
    public static async Task<Created<Recorded>> SubscribeAsync(IEventStore store, string courseId, SubscribeStudent request,
        CancellationToken cancellationToken)
    {
        var studentId = request.StudentId;
        var recorded = await store.DecideAsync(
            DecisionProjection.Combine(Facts.Capacity(courseId), Facts.SeatsTaken(courseId), Facts.IsRegistered(studentId),
                Facts.CoursesOf(studentId)),
            facts =>
            {
                var (capacity, seatsTaken, isRegistered, coursesOfStudent) = facts;
                if (capacity is not { } seats)
                    throw RefusedException.CourseNotFound(courseId);
                if (!isRegistered)
                    throw RefusedException.StudentNotFound(studentId);
                if (coursesOfStudent.Contains(courseId))
                    throw RefusedException.AlreadySubscribed(courseId, studentId);
                if (seatsTaken >= seats)
                    throw RefusedException.CourseFull(seats);
                if (coursesOfStudent.Count >= CoursesPerStudentMax)
                    throw RefusedException.TooManyCourses(studentId, CoursesPerStudentMax);
                return new StudentSubscribed(courseId, studentId);
            },
            cancellationToken);
        return TypedResults.Created($"/api/courses/{courseId}", recorded);
    }

    /// <summary>Ends a student's subscription to a course.</summary>
    public static Task<Recorded> UnsubscribeAsync(IEventStore store, string courseId, string studentId, CancellationToken cancellationToken) =>
        store.DecideAsync(
            Facts.IsSubscribed(courseId, studentId),
            isSubscribed => isSubscribed
                ? new StudentUnsubscribed(courseId, studentId)
                : throw RefusedException.SubscriptionNotFound(courseId, studentId),
            cancellationToken);
}
