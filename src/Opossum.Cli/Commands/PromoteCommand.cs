using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Makes a replica the store.</summary>
internal sealed class PromoteCommand : CliCommand
{
    // Less than a promotion waits for the former store itself: a share that is gone may not answer for as long as it is mounted.
    private static readonly TimeSpan answerMax = TimeSpan.FromSeconds(20);

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
            Confirm(arguments, question);
        var report = await StoreReplica.PromoteAsync(path, isDryRun, cancellationToken).ConfigureAwait(false);
        return WriteDone(arguments, report, Terminal.Out.WriteLine);
    }

    private async Task<string?> FindQuestionAsync(string path, CancellationToken cancellationToken)
    {
        try
        {
            return QuestionOf(await StoreReplica.PromoteAsync(path, dryRun: true, cancellationToken)
                .WaitAsync(answerMax, Terminal.TimeProvider, cancellationToken).ConfigureAwait(false));
        }
        catch (TimeoutException)
        {
            var replica = await StoreReplica.FindStatusAsync(path, cancellationToken).ConfigureAwait(false);
            return $"Promote {path}? What {replica?.Source ?? "the former store"} has is not known after {answerMax.TotalSeconds} s, as where "
                + "its disk or share does not answer: it may have later events, and nothing is appended to it then.";
        }
    }

    // Null: the former store cannot be reached, or has no more events.
    private static string? QuestionOf(PromotionReport plan) => !Path.IsPathRooted(plan.FormerStore)
        ? $"Promote {plan.Replica}? It follows {plan.FormerStore}, which is no path of this system, so that one is not closed: first end what "
            + "appends to it."
        : plan.FormerIsClosed && plan.FormerHead > plan.Head
        ? $"Promote {plan.Replica}, which has the events up to position {Text.Of(plan.Head)}? {plan.FormerStore} has them up to "
            + $"{Text.Of(plan.FormerHead)}; nothing is appended to it then."
        : null;
}
