using Microsoft.Extensions.Logging;

namespace Opossum.Diagnostics;

/// <summary>What projections log. The numbers never change their meaning.</summary>
internal static partial class ProjectionLog
{
    [LoggerMessage(100, LogLevel.Information, "This process leads the projection {Projection}, version {Version}, from position {Position}.")]
    public static partial void Leads(ILogger logger, string projection, int version, long position);

    [LoggerMessage(101, LogLevel.Information, "Building the states of the projection {Projection}, version {Version}.")]
    public static partial void Rebuilding(ILogger logger, string projection, int version);

    [LoggerMessage(102, LogLevel.Information, "Built the states of the projection {Projection}, version {Version}, up to position {Position}.")]
    public static partial void Rebuilt(ILogger logger, string projection, int version, long position);

    [LoggerMessage(103, LogLevel.Information,
        "The projection {Projection} was built in version {BuiltVersion} and now has version {Version}; its states are being rebuilt.")]
    public static partial void VersionChanged(ILogger logger, string projection, int builtVersion, int version);

    [LoggerMessage(104, LogLevel.Warning,
        "The states of the projection {Projection} in {Folder} do not fit the store's events; they are being rebuilt.")]
    public static partial void DoesNotFit(ILogger logger, string projection, string folder);

    [LoggerMessage(105, LogLevel.Warning,
        "The projection {Projection} could not apply the event at position {Position}, of type {EventType}, after {Retries} of "
            + "{MaxRetryAttempts} retries.")]
    public static partial void EventFailed(ILogger logger, string projection, long position, string eventType, int retries, int maxRetryAttempts,
        Exception exception);

    [LoggerMessage(106, LogLevel.Error,
        "The projection {Projection} has stopped at position {Position}, at an event of type {EventType} that it cannot apply.")]
    public static partial void Faulted(ILogger logger, string projection, long position, string eventType, Exception exception);

    [LoggerMessage(107, LogLevel.Warning, "The projection {Projection} skips the event at position {Position}, of type {EventType}: {Reason}")]
    public static partial void Skipped(ILogger logger, string projection, long position, string eventType, string reason);

    [LoggerMessage(108, LogLevel.Warning, "This process no longer leads the projection {Projection}: {Reason}")]
    public static partial void LeadLost(ILogger logger, string projection, string reason);

    [LoggerMessage(109, LogLevel.Warning, "The projection {Projection} cannot continue for now; it will be retried.")]
    public static partial void Troubled(ILogger logger, string projection, Exception exception);

    [LoggerMessage(110, LogLevel.Warning,
        "The projection {Projection} has version {Version} here, but was built in version {BuiltVersion} by another process; this process "
            + "only reads.")]
    public static partial void Superseded(ILogger logger, string projection, int version, int builtVersion);

    [LoggerMessage(111, LogLevel.Warning, "A file of the projection {Projection} is damaged and is ignored: {Path} {Problem}")]
    public static partial void Damaged(ILogger logger, string projection, string path, string problem);

    [LoggerMessage(112, LogLevel.Warning, "The rows of the projection {Projection} could not be built in one transaction; they are built in place.")]
    public static partial void RebuiltInPlace(ILogger logger, string projection, Exception exception);
}
