using Opossum.Serialization;

namespace Opossum.Reactions;

/// <summary>The store's appends that count once.</summary>
/// <param name="Once">
/// Appends events that carry a reserved tag, unless an event with that tag is stored: then it returns the positions of that append.
/// </param>
/// <param name="Prepare">Checks an event, serializes it and encrypts its personal data, as an append does, and resolves a query.</param>
/// <param name="Prepared">Appends what was prepared, once.</param>
internal sealed record ReactionAppends(
    Func<IReadOnlyList<NewEvent>, AppendCondition?, Tag, CancellationToken, Task<AppendResult>> Once,
    Func<NewEvent, Query?, Tag, (PreparedEvent Event, Query? Unless)> Prepare,
    Func<PreparedEvent, AppendCondition?, Tag, Task<AppendResult>> Prepared);
