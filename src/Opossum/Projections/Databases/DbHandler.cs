using System.Data.Common;

namespace Opossum.Projections.Databases;

/// <summary>The handler of an event type.</summary>
internal delegate Task DbHandler(DbConnection connection, DbTransaction transaction, SequencedEvent e,
    CancellationToken cancellationToken);
