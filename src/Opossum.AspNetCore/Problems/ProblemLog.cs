using Microsoft.Extensions.Logging;

namespace Opossum.AspNetCore.Problems;

/// <summary>The log messages of requests that were answered with problem details or with an error page.</summary>
internal static partial class ProblemLog
{
    [LoggerMessage(201, LogLevel.Error, "A request failed: {Problem}")]
    public static partial void Failed(ILogger logger, string problem, Exception exception);

    [LoggerMessage(202, LogLevel.Warning, "A request failed for now: {Problem}")]
    public static partial void Unavailable(ILogger logger, string problem, Exception exception);

    [LoggerMessage(203, LogLevel.Warning, "A request was answered with status 400, because the store refused a value: {Problem}")]
    public static partial void Refused(ILogger logger, string problem, Exception exception);

    [LoggerMessage(204, LogLevel.Debug, "A request was answered with status {Status}: {Problem}")]
    public static partial void Answered(ILogger logger, int status, string problem);
}
