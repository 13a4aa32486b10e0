namespace Opossum.Storage;

/// <summary>The append an event belongs to, and what was durable when it was written.</summary>
/// <param name="First">Position of the append's first event.</param>
/// <param name="Last">Position of the append's last event.</param>
/// <param name="After">The last position known to be durable when the append's group was written: it proves that position had been committed.</param>
internal readonly record struct CommitRange(long First, long Last, long After)
{
    public int Count => (int)(Last - First + 1);
}
