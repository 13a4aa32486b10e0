using System.CommandLine;
using System.Globalization;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Makes a replica the store.</summary>
internal sealed class PromoteCommand : CliCommand
{
    private const int FormersMax = 20;

    private static readonly TimeSpan answerMax = TimeSpan.FromSeconds(30);

    private readonly Argument<string> replica = new("replica") { Description = "The folder that followed the store" };

    public PromoteCommand(Terminal terminal)
        : base(terminal, "promote", "Make a replica the store, when the former one is lost",
            "opossum promote /mnt/nas/sales --dry-run",
            "opossum promote /mnt/nas/sales",
            "opossum promote /mnt/nas/sales --json")
        => Add(replica, Json, DryRun, Yes);

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = arguments.GetRequiredValue(replica);
        StorePath.ThrowIfNoStore(path, mayBeNew: false);
        var isDryRun = IsDryRun(arguments);
        if (!isDryRun && !arguments.GetValue(Yes) && await FindQuestionAsync(path, cancellationToken).ConfigureAwait(false) is { } question)
        {
            Confirm(arguments, question);
        }
        var report = await StoreReplica.PromoteAsync(path, isDryRun, cancellationToken).ConfigureAwait(false);
        return WriteDone(arguments, report, Terminal.Out.WriteLine);
    }

    private async Task<string?> FindQuestionAsync(string path, CancellationToken cancellationToken)
    {
        if (await StoreReplica.FindStatusAsync(path, cancellationToken).ConfigureAwait(false) is not { } replica)
            return await FindQuestionAgainAsync(path, cancellationToken).ConfigureAwait(false);
        if (!replica.IsDamaged && Path.IsPathFullyQualified(replica.Source))
            return await FindQuestionAsync(path, replica.Source, cancellationToken).ConfigureAwait(false);
        var why = replica.IsDamaged ? "Its replica.json does not say which folder was the store"
            : $"{replica.Source}, which it follows, is no path of this system";
        return $"Promote {path}? {why}, so that one is not closed: first end what appends to it.";
    }

    // A promotion that was interrupted before the former store was closed. Null: there is nothing to ask.
    private static async Task<string?> FindQuestionAgainAsync(string path, CancellationToken cancellationToken)
    {
        var plan = await StoreReplica.PromoteAsync(path, dryRun: true, cancellationToken).ConfigureAwait(false);
        return plan.FormerHead > plan.Head
            ? string.Create(CultureInfo.InvariantCulture, $"Promote {path}, which has the events up to position {plan.Head}? {plan.FormerStore} "
                + $"has them up to {plan.FormerHead}; nothing is appended to it then.")
            : null;
    }

    // A share that is gone may not answer for as long as it is mounted.
    private async Task<string?> FindQuestionAsync(string path, string former, CancellationToken cancellationToken)
    {
        try
        {
            return await Task.Run(() => CompareAsync(path, former, cancellationToken), cancellationToken)
                .WaitAsync(answerMax, Terminal.TimeProvider, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            return Unknown(path, former, "does not answer");
        }
    }

    // Null: the former store is gone, or has no more events.
    private async Task<string?> CompareAsync(string path, string former, CancellationToken cancellationToken)
    {
        // A replica in between is not the former store. In a circle none is.
        for (var steps = 0; steps < FormersMax && await FindSourceAsync(former, cancellationToken).ConfigureAwait(false) is { } next; steps++)
        {
            if (StorePath.FindId(next) != StorePath.FindId(former))
                break;
            former = next;
        }
        if (StorePath.FindId(former) is not { } id)
            return StorePath.IsStore(former) ? Unknown(path, former, "cannot be read") : null;
        if ((StorePath.FindId(path) ?? id) != id)
            return null;
        if (await FindHeadAsync(former, cancellationToken).ConfigureAwait(false) is not { } formerHead)
            return Unknown(path, former, "cannot be read");
        var head = await FindHeadAsync(path, cancellationToken).ConfigureAwait(false);
        return head >= formerHead ? null
            : string.Create(CultureInfo.InvariantCulture, $"Promote {path}, which has the events up to position {head ?? 0}? {former} can be read "
                + $"and has them up to {formerHead}; nothing is appended to it then.");
    }

    private static string Unknown(string path, string former, string why) =>
        $"Promote {path}? {former} {why}, so it may have later events, and may stay open: first end what appends to it.";

    // Null: it follows none, or does not say which.
    private static async Task<string?> FindSourceAsync(string path, CancellationToken cancellationToken)
    {
        try
        {
            return await StoreReplica.FindStatusAsync(path, cancellationToken).ConfigureAwait(false) is { IsDamaged: false } replica
                ? replica.Source
                : null;
        }
        catch (EventStoreException)
        {
            return null;
        }
    }

    // Null: it cannot be read.
    private async Task<long?> FindHeadAsync(string path, CancellationToken cancellationToken)
    {
        try
        {
            return await StorePath.HeadAsync(path, Terminal, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is CliException or EventStoreException)
        {
            return null;
        }
    }
}
