using Opossum.Cli.Terminals;

namespace Opossum.Cli;

/// <summary>Says what went wrong, and chooses the exit code.</summary>
internal static class Failure
{
    /// <summary>Writes an error, or what became of the work that was cancelled.</summary>
    /// <param name="whenCancelled">What to say after a cancellation; null: nothing.</param>
    public static ExitCode Write(Exception e, string? whenCancelled, Terminal terminal, CancellationToken cancellationToken)
    {
        terminal.TryFlush();
        if (e is OperationCanceledException && cancellationToken.IsCancellationRequested)
        {
            if (whenCancelled is not null)
                terminal.Error.WriteLine(whenCancelled);
            return ExitCode.Cancelled;
        }
        terminal.WriteError(e is CliException or EventStoreException or ArgumentException or IOException or UnauthorizedAccessException
            or NotSupportedException
            ? MessageOf(e)
            // Nobody foresaw this one, so its origin is worth more than a short message.
            : e.ToString());
        return ExitCodeOf(e);
    }

    private static ExitCode ExitCodeOf(Exception e) => e switch
    {
        CliException known => known.ExitCode,
        AppendConditionFailedException => ExitCode.Negative,
        ArgumentException => ExitCode.Usage,
        StoreOpenException => ExitCode.NoStore,
        _ => ExitCode.Failed,
    };

    // An ArgumentException adds the name of the method's parameter, which means nothing to a user.
    private static string MessageOf(Exception e) => e is ArgumentException { ParamName: { } name }
        ? e.Message.Replace($" (Parameter '{name}')", "", StringComparison.Ordinal)
        : e.Message;
}
