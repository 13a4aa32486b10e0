using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Commit;

/// <summary>Up to where events are durable, while some are appended without flushing; and the flush of those that are not.</summary>
internal sealed class WriteBehind(WritingParts writing, EventFiles eventFiles, StoreSettings settings)
{
    private readonly EventIndex index = writing.Index;

    /// <summary>What an event's "after" may claim: all up to it is durable, whoever wrote it.</summary>
    public long DurableUpTo(StoreLock.Held held)
    {
        if (settings.Flush)
        {
            Flush(held);
            return index.Head;
        }
        // A note beyond the head is of events that a repair cut off, or a restored backup has not: it says nothing of those that take their places.
        if (held.DurableUpTo is { } durable && durable <= index.Head)
        {
            // Order matters: before anything more is appended. Whoever noted it may have failed to flush the note.
            held.MakeNoteDurable();
            return durable;
        }
        held.DurableUpTo = index.Head;
        return index.Head;
    }

    /// <summary>Flushes what is not durable, by whomever it was appended.</summary>
    /// <exception cref="DiskStateUnknownException">It could not be made durable.</exception>
    public void Flush(StoreLock.Held held)
    {
        if (held.DurableUpTo is not { } durable)
            return;
        if (durable < index.Head)
        {
            // Order matters: noted before the flush. The system reports once that it could not write, and a second flush, by any process, passes
            // over what the first one lost.
            if (!held.BeginFlush())
                eventFiles.Mending.WriteAgain(durable + 1, index.Head, held);
            eventFiles.Flush(durable + 1, index.Head);
        }
        held.DurableUpTo = null;
    }
}
