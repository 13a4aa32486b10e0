namespace Opossum.Projections.Databases;

/// <summary>The rows of a projection in an open transaction.</summary>
internal interface IDbRows
{
    /// <summary>Deletes all of them.</summary>
    Task ClearAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Changes them by the handlers of events, in their order; a later statement of the transaction sees all changes.
    /// </summary>
    Task ApplyAsync(IEnumerable<SequencedEvent> events, CancellationToken cancellationToken);
}
