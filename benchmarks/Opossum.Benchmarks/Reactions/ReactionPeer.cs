using System.CommandLine;
using System.Diagnostics;

namespace Opossum.Benchmarks.Reactions;

/// <summary>The process that leads a reaction until it is killed.</summary>
internal sealed class ReactionPeer : IDisposable
{
    public const string ReactionName = "take-over";

    private const string CommandName = "reaction-peer";
    private const string Handled = "handled";

    private readonly Process process;

    private ReactionPeer(Process process) => this.process = process;

    public static Command CreateCommand()
    {
        var path = new Argument<string>("path");
        var command = new Command(CommandName, "The other process of `reactions`; of no use by hand.") { path };
        command.Hidden = true;
        command.SetAction((parse, cancellationToken) => LeadAsync(parse.GetRequiredValue(path), cancellationToken));
        return command;
    }

    /// <summary>Starts it, and returns when it leads and has handled an event.</summary>
    public static async Task<ReactionPeer> StartAsync(string path, CancellationToken cancellationToken)
    {
        var command = OwnProgram.Command(CommandName, path);
        var peer = new ReactionPeer(Process.Start(new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true })!);
        await peer.HandledAsync(cancellationToken);
        return peer;
    }

    /// <summary>Returns when it has handled a further event.</summary>
    public async Task HandledAsync(CancellationToken cancellationToken)
    {
        if (await process.StandardOutput.ReadLineAsync(cancellationToken) != Handled)
            throw new InvalidOperationException("The other process has ended.");
    }

    public void Kill()
    {
        process.Kill();
        process.WaitForExit();
    }

    public void Dispose()
    {
        process.Kill();
        process.Dispose();
    }

    private static async Task<int> LeadAsync(string path, CancellationToken cancellationToken)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }, cancellationToken);
        var reaction = new TimedReaction(ReactionName, ReactionStart.Beginning, int.MaxValue, static (_, _) =>
        {
            Console.WriteLine(Handled);
            Console.Out.Flush();
        });
        await using var runner = store.StartReactions([reaction]);
        // In case all was handled before, this is an event to begin with.
        await store.AppendAsync([PaidEvents.Event(0)], cancellationToken: cancellationToken);
        await Task.Delay(Timeout.Infinite, cancellationToken);
        return 0;
    }
}
