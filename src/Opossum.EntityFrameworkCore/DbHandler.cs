namespace Opossum.EntityFrameworkCore;

/// <summary>The handler of an event type.</summary>
internal delegate Task DbHandler<TContext>(TContext db, SequencedEvent e, CancellationToken cancellationToken);
