using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Opossum.AspNetCore.Problems;

/// <summary>Answers exceptions with the problems that <see cref="StoreProblem"/> finds in them, and logs what operators must know.</summary>
internal sealed class StoreExceptionHandler(IProblemDetailsService problems, ILogger<StoreExceptionHandler> logger) : IExceptionHandler
{
    public async ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
    {
        var isRead = HttpMethods.IsGet(httpContext.Request.Method) || HttpMethods.IsHead(httpContext.Request.Method);
        if (StoreProblem.Of(exception, isRead) is not { } problem)
            return false;
        Log(exception, problem);

        var status = problem.Details.Status!.Value;
        httpContext.Response.StatusCode = status;
        if (problem.RetryAfter is { } seconds)
            httpContext.Response.Headers.RetryAfter = seconds;
        // A client that accepts no JSON gets the status without a body.
        await problems.TryWriteAsync(new ProblemDetailsContext { HttpContext = httpContext, ProblemDetails = problem.Details, Exception = exception })
            .ConfigureAwait(false);
        return true;
    }

    // Handled exceptions are not logged by ASP.NET, and the answer does not contain the paths and causes.
    private void Log(Exception exception, StoreProblem problem)
    {
        switch (exception)
        {
            case StoreFaultedException or ProjectionException { IsTransient: false }
                or PersonalDataException { IsTransient: false, ForgottenPerson: null }:
                ProblemLog.Failed(logger, exception.Message, exception);
                break;
            case EventStoreException { IsTransient: true }:
                ProblemLog.Unavailable(logger, exception.Message, exception);
                break;
            case ArgumentException:
                ProblemLog.Refused(logger, exception.Message, exception);
                break;
            default:
                ProblemLog.Answered(logger, problem.Details.Status!.Value, exception.Message);
                break;
        }
    }
}
