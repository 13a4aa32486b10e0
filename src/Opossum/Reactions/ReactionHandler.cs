namespace Opossum.Reactions;

/// <summary>The handler of an event type.</summary>
internal delegate Task ReactionHandler(ReactionContext context, CancellationToken cancellationToken);
