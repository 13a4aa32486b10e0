using CourseManagement.Courses;
using Microsoft.AspNetCore.Http.HttpResults;
using Opossum;

namespace CourseManagement.Students;

/// <summary>Students, over HTTP.</summary>
public static class StudentEndpoints
{
    public static void MapStudents(this IEndpointRouteBuilder app)
    {
        var students = app.MapGroup("/api/students").WithTags("Students");
        students.MapGet("/", ListAsync).ProducesProblems(400);
        students.MapGet("/{studentId}", GetAsync).ProducesProblems(400, 404);
        students.MapPost("/", RegisterAsync).ProducesProblems(400, 409);
    }

    /// <summary>Lists the students by name.</summary>
    /// <param name="students">The read model.</param>
    /// <param name="after">Waits until the list counts the event at this position.</param>
    /// <param name="cancellationToken">The request's end.</param>
    public static async Task<List<StudentOverview>> ListAsync(IProjectionStore<StudentOverview> students, long? after,
        CancellationToken cancellationToken)
    {
        await students.CatchUpAsync(after, cancellationToken);
        return await students.ReadAllAsync(cancellationToken).Select(student => student.State).OrderBy(student => student.Name,
            StringComparer.OrdinalIgnoreCase).ToListAsync(cancellationToken);
    }

    /// <summary>Shows a student and the courses taken.</summary>
    /// <param name="students">The read model of students.</param>
    /// <param name="courses">The read model of courses.</param>
    /// <param name="studentId">The student.</param>
    /// <param name="after">Waits until the answer counts the event at this position.</param>
    /// <param name="cancellationToken">The request's end.</param>
    public static async Task<StudentDetails> GetAsync(
        IProjectionStore<StudentOverview> students, IProjectionStore<CourseOverview> courses, string studentId, long? after,
        CancellationToken cancellationToken)
    {
        await students.CatchUpAsync(after, cancellationToken);
        await courses.CatchUpAsync(after, cancellationToken);
        var student = await students.GetAsync(studentId, cancellationToken) ?? throw RefusedException.StudentNotFound(studentId);
        var taken = await courses.GetManyAsync(student.CourseIds, cancellationToken);
        // The two read models advance on their own, so a course may be missing for a moment.
        return new StudentDetails(student, [.. student.CourseIds.Where(taken.ContainsKey).Select(courseId => taken[courseId])]);
    }

    /// <summary>Registers a student.</summary>
    public static async Task<Created<Recorded>> RegisterAsync(IEventStore store, RegisterStudent request, CancellationToken cancellationToken)
    {
        var recorded = await store.DecideAsync(
            Facts.IsRegistered(request.StudentId),
            isRegistered => isRegistered
                ? throw RefusedException.StudentExists(request.StudentId)
                : new StudentRegistered(request.StudentId, request.Name),
            cancellationToken);
        return TypedResults.Created($"/api/students/{request.StudentId}", recorded);
    }
}
