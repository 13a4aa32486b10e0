using Opossum.Following;
using Opossum.Reactions.Reading;

namespace Opossum;

/// <summary>The reactions of a store: those that this process runs, and those that have begun in the store's folder.</summary>
/// <example><code>
/// foreach (var name in await store.Reactions.ListAsync())
///     Console.WriteLine($"{name}: {(await store.Reactions[name].GetStatusAsync()).Parked.Count} parked events");
/// </code></example>
public sealed class ReactionCollection
{
    private readonly Openings<Opening<ReactionReader>> openings;

    internal ReactionCollection(Openings<Opening<ReactionReader>> openings) => this.openings = openings;

    /// <summary>A reaction, by its name. That the store has it is checked when something is asked of it.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <exception cref="ArgumentException">No reaction can have that name.</exception>
    public ReactionHandle this[string name]
    {
        get
        {
            NameRules.CheckFolderName(name, "The reaction's name", nameof(name));
            return new ReactionHandle(new Followed<ReactionReader>(openings, name));
        }
    }

    /// <summary>Lists the names of the reactions, in ordinal order.</summary>
    /// <param name="cancellationToken">Cancels the call before it reads.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public Task<IReadOnlyList<string>> ListAsync(CancellationToken cancellationToken = default) =>
        openings.AskAsync(opening => opening.ListAsync(cancellationToken), cancellationToken);
}
