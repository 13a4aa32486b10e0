namespace Opossum;

/// <summary>The events that a read returns, and the head at which it read them.</summary>
/// <remarks>Each enumeration is a separate read with its own head.</remarks>
/// <example><code>
/// var stream = store.ReadAsync(Query.FromTags(new Tag("course", "c1")));
/// await foreach (var e in stream) seats += e.Type == "student-subscribed" ? 1 : 0;
/// await store.AppendAsync([subscribed], new AppendCondition(query, After: stream.Head));
/// </code></example>
public abstract class EventStream : IAsyncEnumerable<SequencedEvent>
{
    /// <summary>
    /// The store's last position when the most recent enumeration started; that enumeration sees every event up to it. Pass it to
    /// <see cref="AppendCondition.After"/>.
    /// </summary>
    /// <exception cref="InvalidOperationException">No enumeration has started: the caller has not requested an event yet.</exception>
    public abstract long Head { get; }

    /// <summary>Starts a read.</summary>
    /// <param name="cancellationToken">Cancels the read.</param>
    public abstract IAsyncEnumerator<SequencedEvent> GetAsyncEnumerator(CancellationToken cancellationToken = default);
}
