using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Projections or reactions, for the commands that both have.</summary>
/// <param name="Name">What they are, in the singular.</param>
/// <param name="ListAsync">Lists the names of those of a store.</param>
internal sealed record FollowerKind(string Name, Func<FileSystemEventStore, CancellationToken, Task<IReadOnlyList<string>>> ListAsync)
{
    public static FollowerKind Projection { get; } = new("projection", static (store, cancelled) => store.Projections.ListAsync(cancelled));

    public static FollowerKind Reaction { get; } = new("reaction", static (store, cancelled) => store.Reactions.ListAsync(cancelled));

    /// <summary>Refuses one that the store does not have. A damaged one counts: only its name is looked up.</summary>
    public async Task ThrowIfUnknownAsync(FileSystemEventStore store, string name, CancellationToken cancellationToken)
    {
        var names = await ListAsync(store, cancellationToken).ConfigureAwait(false);
        if (!names.Contains(name))
        {
            throw new CliException(ExitCode.Usage, $"The store has no {Name} {Text.Visible(name)}. "
                + $"{(names.Count == 0 ? "It has none." : $"It has: {string.Join(", ", names)}.")} Nothing was changed.");
        }
    }
}
