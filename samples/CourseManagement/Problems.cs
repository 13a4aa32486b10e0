using System.Text.Json;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Mvc;

namespace CourseManagement;

/// <summary>Answers what the rules refuse with problem details (RFC 9457); those of the store and of bad requests are the package's matter.</summary>
internal sealed class Problems(IProblemDetailsService problems) : IExceptionHandler
{
    public ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
    {
        if (exception is not RefusedException refused)
            return ValueTask.FromResult(false);
        httpContext.Response.StatusCode = refused.Status;
        var problem = new ProblemDetails { Status = refused.Status, Title = refused.Title, Detail = refused.Message };
        return problems.TryWriteAsync(new ProblemDetailsContext { HttpContext = httpContext, ProblemDetails = problem, Exception = exception });
    }

    /// <summary>Gives invalid fields their JSON names.</summary>
    public static void NameFields(ProblemDetailsContext context)
    {
        if (context.ProblemDetails is HttpValidationProblemDetails problem)
            problem.Errors = problem.Errors.ToDictionary(error => JsonNamingPolicy.CamelCase.ConvertName(error.Key), error => error.Value);
    }
}
