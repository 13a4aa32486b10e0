namespace Opossum.EntityFrameworkCore;

/// <summary>The handler of an event type.</summary>
internal delegate Task ContextHandler<TContext>(TContext db, SequencedEvent e, CancellationToken cancellationToken);
