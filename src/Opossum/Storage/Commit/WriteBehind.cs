using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Commit;

/// <summary>Tracks up to which position events are durable while some are appended without flushing, and flushes the rest.</summary>
internal sealed class WriteBehind(WritingParts writing, EventFiles eventFiles, StoreSettings settings)
{
    private readonly EventIndex index = writing.Index;

    /// <summary>The highest "after" that an event may state: everything up to it is durable, whichever process wrote it.</summary>
    public long DurableUpTo(StoreLock.Held held)
    {
        if (settings.Flush)
        {
            Flush(held);
            return index.Head;
        }
        // A note beyond the head is about events that a repair cut off or a restored backup lacks. It says nothing about the events that
        // replace them.
        if (held.DurableUpTo is { } durable && durable <= index.Head)
        {
            // Order matters: before anything more is appended. The process that wrote the note may have failed to flush it.
            held.MakeNoteDurable();
            return durable;
        }
        held.DurableUpTo = index.Head;
        return index.Head;
    }

    /// <summary>Flushes all events that are not durable, whichever process appended them.</summary>
    /// <exception cref="DiskStateUnknownException">They could not be made durable.</exception>
    public void Flush(StoreLock.Held held)
    {
        if (held.DurableUpTo is not { } durable)
            return;
        if (durable < index.Head)
        {
            // Order matters: noted before the flush. The system reports a failed write only once: a second flush, by any process, succeeds
            // although the first one lost bytes.
            if (!held.BeginFlush())
                eventFiles.Mending.WriteAgain(durable + 1, index.Head, held);
            eventFiles.Flush(durable + 1, index.Head);
        }
        held.DurableUpTo = null;
    }
}
