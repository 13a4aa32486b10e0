using System.ComponentModel.DataAnnotations;
using Microsoft.AspNetCore.Http.HttpResults;
using Opossum;

namespace CourseManagement.Students;

/// <summary>Students, over HTTP.</summary>
public static class StudentEndpoints
{
    public static void MapStudents(this IEndpointRouteBuilder app)
    {
        var students = app.MapGroup("/api/students").WithTags("Students");
        students.MapGet("/", ListAsync).WaitForPosition<StudentOverview>().ProducesProblems(400);
        students.MapGet("/{studentId}", GetAsync).WaitForPosition().ProducesProblems(400, 404);
        students.MapPost("/", RegisterAsync).ProducesProblems(400, 409);
    }

    /// <summary>Lists the students by name.</summary>
    /// <param name="students">The read model.</param>
    /// <param name="search">Part of the name or the id.</param>
    /// <param name="skip">The number of students before the page.</param>
    /// <param name="limit">The most students of the page.</param>
    /// <param name="cancellationToken">The request's end.</param>
    public static async Task<Page<StudentOverview>> ListAsync(
        IProjectionStore<StudentOverview> students, string? search,
        [Range(0, int.MaxValue, ErrorMessage = Inputs.SkipInWords)] int skip = 0,
        [Range(1, Inputs.PageMax, ErrorMessage = Inputs.PageInWords)] int limit = Inputs.PageMax, CancellationToken cancellationToken = default)
    {
        var states = await students.ReadAllAsync(cancellationToken).Select(student => student.State).ToListAsync(cancellationToken);
        return Page<StudentOverview>.Of(states, student => [student.Name, student.StudentId], search, skip, limit);
    }

    /// <summary>Shows a student and the courses taken.</summary>
    /// <param name="store">The store.</param>
    /// <param name="studentId">The student.</param>
    /// <param name="cancellationToken">The request's end.</param>
    public static async Task<StudentDetails> GetAsync(IEventStore store, string studentId, CancellationToken cancellationToken)
    {
        return await store.ReadStudentAsync(studentId, cancellationToken) ?? throw RefusedException.StudentNotFound(studentId);
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
