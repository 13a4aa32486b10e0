using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Lists the projections or the reactions of a store: how far they are, and what holds them up.</summary>
internal abstract class FollowerListCommand<TStatus, TReport>(FollowerKind kind, Terminal terminal, string description,
    Func<string, TStatus?, string?, TReport> report)
    : StoreCommand(terminal, "list", description, $"opossum {kind.Name}s list sales", $"opossum {kind.Name}s list sales --json")
    where TStatus : FollowerStatus
    where TReport : FollowerReport<TStatus>
{
    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var found = new List<TReport>();
        foreach (var name in await kind.ListAsync(store, cancellationToken).ConfigureAwait(false))
            found.Add(await TryReadAsync(store, name, cancellationToken).ConfigureAwait(false));
        WriteAll(arguments, found);
        return found.Exists(each => each.Problem is not null || IsHeldUp(each)) ? ExitCode.Negative : ExitCode.Ok;
    }

    protected abstract Task<TStatus> ReadAsync(FileSystemEventStore store, string name, CancellationToken cancellationToken);

    /// <summary>Whether somebody has to do something about it.</summary>
    protected abstract bool IsHeldUp(TReport report);

    protected abstract void WriteAll(ParseResult arguments, IReadOnlyList<TReport> reports);

    /// <summary>What is to say of it, beginning with what is particular to its kind.</summary>
    protected static string StateOf(TReport report, IEnumerable<string> particular, string skipped)
    {
        var parts = new List<string>();
        if (report.Problem is { } problem)
            parts.Add(problem);
        parts.AddRange(particular);
        if (report.Skipped.Count > 0)
            parts.Add(skipped);
        if (report.OpenRequests > 0)
            parts.Add($"{Text.Count(report.OpenRequests, "request")} not carried out yet");
        return string.Join("; ", parts);
    }

    // One that cannot be read must not hide the others.
    private async Task<TReport> TryReadAsync(FileSystemEventStore store, string name, CancellationToken cancellationToken)
    {
        try
        {
            return report(name, await ReadAsync(store, name, cancellationToken).ConfigureAwait(false), null);
        }
        catch (EventStoreException e)
        {
            return report(name, null, e.Message);
        }
    }
}
