namespace Opossum.Storage;

/// <summary>
/// Events that lay apart when they were read, kept in memory: decisions and lists ask for the same ones over and over, and each would cost a
/// system call. Events never change, so nothing here can be stale. One place for many positions: the last one read has it.
/// </summary>
/// <remarks>Any number of threads; no lock.</remarks>
internal sealed class RecentEvents
{
    private const int Places = 32 * 1024;

    // With this, all places together stay below 80 MB; events of the usual size take about 12.
    private const int ContentBytesMax = 2 * 1024;

    private SequencedEvent?[]? events;

    /// <summary>The event at the position, as its caller's own; null when it is not kept.</summary>
    public SequencedEvent? Find(int position)
    {
        var kept = Volatile.Read(ref events) is { } places ? Volatile.Read(ref places[position % Places]) : null;
        return kept?.Position == position ? kept.Again() : null;
    }

    public void Keep(SequencedEvent e)
    {
        if (e.ContentLength > ContentBytesMax)
            return;
        var places = Volatile.Read(ref events);
        if (places is null)
        {
            places = new SequencedEvent?[Places];
            places = Interlocked.CompareExchange(ref events, places, null) ?? places;
        }
        Volatile.Write(ref places[e.Position % Places], e.Again());
    }
}
