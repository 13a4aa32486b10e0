using System.Text.Json;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Mvc;
using Opossum;

namespace CourseManagement;

/// <summary>Answers exceptions with problem details (RFC 9457).</summary>
/// <remarks>
/// 400 for invalid input, with the invalid fields; 404 for what does not exist; 409 when a rule forbids it, or when other appends came first at
/// every attempt; 503 for what may work later.
/// </remarks>
internal sealed class Problems(IProblemDetailsService problems) : IExceptionHandler
{
    public ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
    {
        if (Describe(exception) is not { } problem)
            return ValueTask.FromResult(false);
        httpContext.Response.StatusCode = problem.Status!.Value;
        if (problem.Status == StatusCodes.Status503ServiceUnavailable)
            httpContext.Response.Headers.RetryAfter = "1";
        return problems.TryWriteAsync(new ProblemDetailsContext { HttpContext = httpContext, ProblemDetails = problem, Exception = exception });
    }

    /// <summary>Gives invalid fields their JSON names.</summary>
    public static void NameFields(ProblemDetailsContext context)
    {
        if (context.ProblemDetails is HttpValidationProblemDetails problem)
            problem.Errors = problem.Errors.ToDictionary(error => JsonNamingPolicy.CamelCase.ConvertName(error.Key), error => error.Value);
    }

    private static ProblemDetails? Describe(Exception exception) => exception switch
    {
        RefusedException refused => Problem(refused.Status, refused.Title, refused.Message),
        AppendConditionFailedException =>
            Problem(StatusCodes.Status409Conflict, "Others were faster",
                "Others changed the same courses or students each time this was tried. Try again."),
        BadHttpRequestException { InnerException: JsonException json } => BadJson(json),
        BadHttpRequestException bad => Problem(bad.StatusCode, "Bad request", bad.Message),
        TimeoutException => Problem(StatusCodes.Status503ServiceUnavailable, "Lists are behind", "The lists do not count that event yet. Try again."),
        EventStoreException => Problem(StatusCodes.Status503ServiceUnavailable, "Store not available", exception.Message),
        _ => null,
    };

    private static HttpValidationProblemDetails BadJson(JsonException json)
    {
        var field = json.Path is { Length: > 2 } path ? path[2..] : "";
        var error = field.Length > 0 ? "The value has not the form that is expected." : "The body is not JSON.";
        return new HttpValidationProblemDetails([new(field, [error])]) { Status = StatusCodes.Status400BadRequest };
    }

    private static ProblemDetails Problem(int status, string title, string detail) => new() { Status = status, Title = title, Detail = detail };
}
