namespace Opossum;

/// <summary>A store that finds an event by its id with fewer reads than <see cref="EventSearch"/>.</summary>
internal interface IIdSearch
{
    /// <inheritdoc cref="EventStoreExtensions.FindAsync"/>
    Task<SequencedEvent?> FindByIdAsync(Guid id, CancellationToken cancellationToken);
}
