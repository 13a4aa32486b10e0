using Microsoft.Extensions.Logging;

namespace Opossum.Diagnostics;

/// <summary>What reactions log. The numbers never change their meaning.</summary>
internal static partial class ReactionLog
{
    [LoggerMessage(120, LogLevel.Information,
        "This process leads the reaction {Reaction}, from position {Position}, with {Open} events to handle again.")]
    public static partial void Leads(ILogger logger, string reaction, long position, int open);

    [LoggerMessage(121, LogLevel.Information, "The reaction {Reaction} begins on this store, after position {Position}.")]
    public static partial void Begins(ILogger logger, string reaction, long position);

    [LoggerMessage(122, LogLevel.Warning,
        "The reaction {Reaction} could not handle the event at position {Position}, of type {EventType}, at attempt {Attempt}; it will be retried.")]
    public static partial void EventFailed(ILogger logger, string reaction, long position, string eventType, int attempt, Exception exception);

    [LoggerMessage(123, LogLevel.Warning, "This process no longer leads the reaction {Reaction}: {Reason}")]
    public static partial void LeadLost(ILogger logger, string reaction, string reason);

    [LoggerMessage(124, LogLevel.Warning, "The reaction {Reaction} cannot continue for now; it will be retried.")]
    public static partial void Troubled(ILogger logger, string reaction, Exception exception);

    [LoggerMessage(125, LogLevel.Error, "The reaction {Reaction} has stopped: {Problem}")]
    public static partial void Halted(ILogger logger, string reaction, string problem);

    [LoggerMessage(130, LogLevel.Error,
        "The reaction {Reaction} has parked the event at position {Position}, of type {EventType}, after attempt {Attempt}.")]
    public static partial void Parked(ILogger logger, string reaction, long position, string eventType, int attempt, Exception exception);

    [LoggerMessage(131, LogLevel.Warning,
        "The reaction {Reaction} has {Parked} parked events and parks no more; the event at position {Position} is retried.")]
    public static partial void TooManyParked(ILogger logger, string reaction, int parked, long position);

    [LoggerMessage(132, LogLevel.Information, "The reaction {Reaction} retries the parked event at position {Position}, on request.")]
    public static partial void RetriesParked(ILogger logger, string reaction, long position);

    [LoggerMessage(133, LogLevel.Warning, "The reaction {Reaction} skips the parked event at position {Position}, on request: {Reason}")]
    public static partial void Skips(ILogger logger, string reaction, long position, string reason);

    [LoggerMessage(134, LogLevel.Warning, "The reaction {Reaction} handles the events from position {Position} on again, on request.")]
    public static partial void HandlesAgain(ILogger logger, string reaction, long position);

    [LoggerMessage(136, LogLevel.Information,
        "The reaction {Reaction} does not append the scheduled event of type {EventType}: what it waited for has happened. {Reason}")]
    public static partial void NotDueAnyMore(ILogger logger, string reaction, string eventType, string reason);

    [LoggerMessage(137, LogLevel.Warning, "The reaction {Reaction} could not append a scheduled event; it will be retried.")]
    public static partial void NotAppendedYet(ILogger logger, string reaction, Exception exception);

    [LoggerMessage(138, LogLevel.Warning,
        "The reaction {Reaction} handles the type {EventType} now. A former leader did not: its events that were passed over, up to position "
        + "{Position}, are not handled.")]
    public static partial void TypeAdded(ILogger logger, string reaction, string eventType, long position);

    [LoggerMessage(139, LogLevel.Warning,
        "The reaction {Reaction} does not handle the type {EventType} in this process. The former leader did: its events up to position {Position} "
        + "that were not done are not handled any more.")]
    public static partial void TypeRemoved(ILogger logger, string reaction, string eventType, long position);

    [LoggerMessage(135, LogLevel.Warning, "A file of the reaction {Reaction} is not what it should be; it stays as it is. {Problem}")]
    public static partial void FileProblem(ILogger logger, string reaction, string problem);
}
