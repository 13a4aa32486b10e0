using System.CommandLine;
using System.Text.Json;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Keeps a replica of a store: once, or until Ctrl-C.</summary>
internal sealed class FollowCommand : StoreCommand
{
    private static readonly ReportJson lines = new(new JsonSerializerOptions(ReportJson.Default.Options) { WriteIndented = false });

    private static readonly TimeSpan retryInterval = TimeSpan.FromSeconds(10);

    private readonly Argument<string> target = new("replica")
    {
        Description = "The folder that follows: missing, empty, a backup or a replica of the same store, or the former store",
    };
    private readonly Option<bool> once = new("--once") { Description = "Copy what is new, and end" };
    private readonly Option<bool> includeKeys = new("--include-keys")
    {
        Description = "Also copy the keys of personal data in the store's folder: with them and the master key it can be read",
    };
    private readonly Option<string?> export = new("--export")
    {
        Description = "Where the replica was promoted: write the events that only the former store has to this file",
        HelpName = "file",
    };

    public FollowCommand(Terminal terminal)
        : base(terminal, "follow", "Keep a replica of a store that can take its place, until Ctrl-C",
            "opossum follow sales /mnt/nas/sales",
            "opossum follow sales /mnt/nas/sales --once",
            "opossum follow sales /mnt/nas/sales --once --export only-here.jsonl")
        => Add(target, once, includeKeys, export);

    public override string WhenCancelled => "Ended. The replica has what was copied; the same command continues from there.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        StorePath.ThrowIfNoStore(StoreOf(arguments));
        // Before the former store is marked, which the same command cannot take back.
        if (arguments.GetValue(export) is { } path)
            NewFile.ThrowIfExists(path);
        try
        {
            await FollowAsync(arguments, cancellationToken).ConfigureAwait(false);
            return ExitCode.Ok;
        }
        catch (StoreMaintenanceException e) when (e is { Path: { } former, Position: { } common } && arguments.GetValue(export) is { } file)
        {
            await ExportAsync(former, common, file, cancellationToken).ConfigureAwait(false);
            throw;
        }
    }

    private async Task FollowAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var (store, replica) = (StoreOf(arguments), arguments.GetRequiredValue(target));
        var options = new ReplicaOptions { IncludeKeys = arguments.GetValue(includeKeys) };
        var report = await WithProgressAsync(progress => StoreReplica.UpdateAsync(store, replica, options, progress, cancellationToken))
            .ConfigureAwait(false);
        Show(arguments, report);
        if (!arguments.GetValue(once))
        {
            var shown = new News(each => Show(arguments, each), Terminal.TimeProvider);
            await FollowOnAsync(store, replica, options, report, shown, cancellationToken).ConfigureAwait(false);
        }
    }

    // The first step of each following throws also what passes.
    private async Task FollowOnAsync(string store, string replica, ReplicaOptions options, ReplicaReport last, News shown,
        CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                // The first step would make another one there.
                if (!StorePath.IsStore(replica))
                    throw new CliException(ExitCode.Failed, $"{replica} is no longer there, or its disk is not mounted. It continues once it is.");
                await StoreReplica.FollowAsync(store, replica, options, shown, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (e is CliException or (EventStoreException and not StoreMaintenanceException { IsTransient: false }))
            {
                shown.Report(last with { Problem = e.Message, Copied = 0, Mended = 0 });
            }
            await Task.Delay(retryInterval, Terminal.TimeProvider, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task ExportAsync(string former, long common, string file, CancellationToken cancellationToken)
    {
        try
        {
            var range = new ReadOptions { After = common };
            NewFile.ThrowIfExists(file);
            var report = await NewFile.WriteAsync(file,
                stream => StoreExport.RunAsync(former, stream, Query.All, range, progress: null, cancellationToken)).ConfigureAwait(false);
            // It goes with the error that follows, and a report in JSON stays JSON.
            Terminal.Error.WriteLine($"{file} has what only {former} has: {report}");
        }
        catch (Exception e) when (e is CliException or EventStoreException or IOException or UnauthorizedAccessException
            or OperationCanceledException)
        {
            // That the former store is closed must be read in any case.
            Terminal.WriteError($"{file} was not written: {e.Message}");
        }
    }

    private void Show(ParseResult arguments, ReplicaReport report)
    {
        if (WantsJson(arguments))
            Terminal.Out.WriteLine(JsonSerializer.Serialize(report, lines.ReplicaReport));
        else
            Terminal.Out.WriteLine(report);
        Terminal.Out.Flush();
    }

    // What was copied, not more often than a service's log needs it, and at once what begins or ends to keep it from following.
    internal sealed class News(Action<ReplicaReport> show, TimeProvider clock) : IProgress<ReplicaReport>
    {
        private static readonly TimeSpan pause = TimeSpan.FromSeconds(10);

        private string? problem;
        private long copied, mended;
        private long? shown;

        public void Report(ReplicaReport value)
        {
            copied += value.Copied;
            mended += value.Mended;
            var isDue = copied + mended > 0 && (shown is not { } last || clock.GetElapsedTime(last) >= pause);
            if (!isDue && value.Problem == problem)
                return;
            show(value with { Copied = copied, Mended = mended });
            (problem, copied, mended, shown) = (value.Problem, 0, 0, clock.GetTimestamp());
        }
    }
}
