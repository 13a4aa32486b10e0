using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Projections or reactions, for the commands that both have.</summary>
/// <param name="EffectOfSkip">What a skip means, as a sentence.</param>
/// <param name="SkipAsync">Requests that one skips an event, with a reason.</param>
internal sealed record FollowerKind(string Name, string EffectOfSkip,
    Func<FileSystemEventStore, CancellationToken, Task<IReadOnlyList<string>>> ListAsync,
    Func<FileSystemEventStore, string, long, string, CancellationToken, Task> SkipAsync)
{
    public static FollowerKind Projection { get; } = new("projection", "No state will count it, also after a rebuild.",
        static (store, cancelled) => store.Projections.ListAsync(cancelled),
        static (store, name, position, reason, cancelled) => store.Projections[name].SkipAsync(position, reason, wait: false, cancelled));

    public static FollowerKind Reaction { get; } = new("reaction", "It is not handled.",
        static (store, cancelled) => store.Reactions.ListAsync(cancelled),
        static (store, name, position, reason, cancelled) => store.Reactions[name].SkipAsync(position, reason, wait: false, cancelled));

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
