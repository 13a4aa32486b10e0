using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>A command that changes something: it can show what it would do, and asks before it takes anything away.</summary>
internal abstract class ChangeCommand : StoreCommand
{
    protected ChangeCommand(Terminal terminal, string name, string description, params IReadOnlyList<string> examples)
        : base(terminal, name, description, examples)
        => Add(DryRun, Yes);

    /// <summary>The path of a store that may be changed, as the user typed it. A dry run is refused as the change is.</summary>
    /// <inheritdoc cref="StorePath.ThrowIfReplicaAsync"/>
    protected async Task<string> StoreToChangeAsync(ParseResult arguments, CancellationToken cancellationToken, bool orFormer = true)
    {
        var path = ExistingStoreOf(arguments);
        await StorePath.ThrowIfReplicaAsync(path, orFormer, cancellationToken).ConfigureAwait(false);
        return path;
    }

    /// <summary>Has a store that is open for reading only judge a change: what it could carry out, it refuses only for that.</summary>
    protected static async Task JudgeAsync(Func<Task> change)
    {
        try
        {
            await change().ConfigureAwait(false);
        }
        catch (NotSupportedException)
        {
            // The change is one that can be carried out.
        }
    }
}
