using System.CommandLine;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Proof;

/// <summary><c>append-proven</c>, hidden: runs under strace to count system calls; not for manual use.</summary>
internal static class ProofAppendCommand
{
    public const string Name = "append-proven";

    private static readonly Argument<string> path = new("path");
    private static readonly Argument<int> appends = new("appends");
    private static readonly Argument<bool> keepsProof = new("keepsProof");

    public static Command Create()
    {
        var command = new Command(Name, "Makes a number of lone appends to a store that keeps the proof, or not.") { path, appends, keepsProof };
        command.Hidden = true;
        command.SetAction(async (arguments, cancellationToken) =>
        {
            await using var store = await ProofOfAppends.OpenAsync(arguments.GetRequiredValue(path), arguments.GetValue(keepsProof));
            foreach (var each in new EventFeed(plannedEvents: 1).Take(arguments.GetValue(appends)))
                await store.AppendAsync([each], cancellationToken: cancellationToken);
            return 0;
        });
        return command;
    }
}
