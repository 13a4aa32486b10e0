namespace Opossum;

/// <summary>The events that a read finds, and the head they were read at.</summary>
/// <remarks>Each enumeration is a read of its own, with a head of its own.</remarks>
/// <example><code>
/// var stream = store.ReadAsync(Query.FromTags(new Tag("course", "c1")));
/// await foreach (var e in stream) seats += e.Type == "student-subscribed" ? 1 : 0;
/// await store.AppendAsync([subscribed], new AppendCondition(query, After: stream.Head));
/// </code></example>
public abstract class EventStream : IAsyncEnumerable<SequencedEvent>
{
    /// <summary>
    /// The store's last position when the enumeration that was begun last took its view: no event up to it is missing from that
    /// enumeration. It is what <see cref="AppendCondition.After"/> wants.
    /// </summary>
    /// <exception cref="InvalidOperationException">No enumeration has begun: no event has been asked for.</exception>
    public abstract long Head { get; }

    /// <summary>Begins a read.</summary>
    /// <param name="cancellationToken">Ends the read.</param>
    public abstract IAsyncEnumerator<SequencedEvent> GetAsyncEnumerator(CancellationToken cancellationToken = default);
}
