using System.ComponentModel.DataAnnotations;
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
        courses.MapGet("/", ListAsync).WaitForPosition<CourseOverview>().ProducesProblems(400);
        courses.MapGet("/{courseId}", GetAsync).WaitForPosition().ProducesProblems(400, 404);
        courses.MapPost("/", DefineAsync).ProducesProblems(400, 409);
        courses.MapPut("/{courseId}/capacity", ChangeCapacityAsync).ProducesProblems(400, 404, 409);
        courses.MapPost("/{courseId}/subscriptions", SubscribeAsync).ProducesProblems(400, 404, 409);
        courses.MapDelete("/{courseId}/subscriptions/{studentId}", UnsubscribeAsync).ProducesProblems(404, 409);
    }

    /// <summary>Lists the courses by title.</summary>
    /// <param name="courses">The read model.</param>
    /// <param name="full">True: the full ones only; false: those with a free seat only.</param>
    /// <param name="search">Part of the title or the id.</param>
    /// <param name="skip">The number of courses before the page.</param>
    /// <param name="limit">The most courses of the page.</param>
    /// <param name="cancellationToken">The request's end.</param>
    public static async Task<Page<CourseOverview>> ListAsync(
        IProjectionStore<CourseOverview> courses, bool? full, string? search,
        [Range(0, int.MaxValue, ErrorMessage = Inputs.SkipInWords)] int skip = 0,
        [Range(1, Inputs.PageMax, ErrorMessage = Inputs.PageInWords)] int limit = Inputs.PageMax, CancellationToken cancellationToken = default)
    {
        var found = full is { } isFull
            ? courses.FindAsync([CourseOverviews.Full(isFull)], cancellationToken)
            : courses.ReadAllAsync(cancellationToken);
        var states = await found.Select(course => course.State).ToListAsync(cancellationToken);
        return Page<CourseOverview>.Of(states, course => [course.Title, course.CourseId], search, skip, limit);
    }

    /// <summary>Shows a course and its students.</summary>
    /// <param name="store">The store.</param>
    /// <param name="courseId">The course.</param>
    /// <param name="search">Part of a student's name or id.</param>
    /// <param name="skip">The number of students before the page.</param>
    /// <param name="limit">The most students of the page.</param>
    /// <param name="cancellationToken">The request's end.</param>
    public static async Task<CourseDetails> GetAsync(
        IEventStore store, string courseId, string? search,
        [Range(0, int.MaxValue, ErrorMessage = Inputs.SkipInWords)] int skip = 0,
        [Range(1, Inputs.PageMax, ErrorMessage = Inputs.PageInWords)] int limit = Inputs.PageMax, CancellationToken cancellationToken = default)
    {
        var (position, course, students) = await store.ReadCourseAsync(courseId, cancellationToken)
            ?? throw RefusedException.CourseNotFound(courseId);
        return new CourseDetails(position, course,
            Page<CourseStudent>.Of(students, student => [student.Name, student.StudentId], search, skip, limit));
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
