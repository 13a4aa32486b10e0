using Opossum.FileSystem;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Ledger;

/// <summary>
/// The groups of a network file system whose events may have no files of their own yet: they are in the event file of the group's first event, which
/// <see cref="EventFileCreator"/> creates. The lock file notes after which position such groups may be.
/// </summary>
internal sealed class GroupJournal(StoreFolder folder, EventFiles eventFiles, Quarantine quarantine)
{
    private readonly EventGroupFiles files = new(folder, eventFiles, quarantine);
    private long? ownAfter;
    private long ownBytes;
    private long waiting;

    /// <summary>The number of events that may have no file of their own yet, as far as this process knows. Any thread may read it.</summary>
    public long Waiting => Interlocked.Read(ref waiting);

    /// <summary>The bytes of the groups that this process has written since none was waiting. Any thread may read it.</summary>
    public long Bytes => Interlocked.Read(ref ownBytes);

    /// <summary>Notes, durably, that a group follows.</summary>
    /// <param name="first">Its first position.</param>
    /// <param name="last">Its last position.</param>
    /// <param name="bytes">The bytes of its events.</param>
    /// <param name="held">The lock.</param>
    public void Begin(long first, long last, long bytes, StoreLock.Held held)
    {
        held.AssertIsHeld();
        // Order matters: a process that takes the lock after this one has ended relies on the note.
        held.BeginJournal(first - 1);
        ownAfter ??= first - 1;
        Interlocked.Add(ref ownBytes, bytes);
        CatchUp(last, held);
    }

    /// <summary>Learns how many events wait.</summary>
    /// <param name="head">The last position in the index.</param>
    /// <param name="held">The lock.</param>
    public void CatchUp(long head, StoreLock.Held held) =>
        Interlocked.Exchange(ref waiting, After(held) is { } after ? Math.Max(0, head - after) : 0);

    /// <inheritdoc cref="Journal.TakeBacklog"/>
    public JournalBacklog TakeBacklog(long head, StoreLock.Held held) => new([], [])
    {
        Groups = After(held) is { } from && from < head ? (from, Math.Min(head, from + folder.Journal.BacklogMax)) : null,
    };

    /// <summary>Writes the files of the groups' events of a backlog, without the lock. False when not all could be written.</summary>
    /// <param name="backlog">The backlog; receives the position up to which its events have files then.</param>
    /// <param name="after">The position after which the groups begin.</param>
    /// <param name="last">The last position.</param>
    /// <exception cref="FileSystemException">A file could not be written; the groups have the events.</exception>
    /// <exception cref="DiskStateUnknownException">The files could not be made durable; the groups have the events.</exception>
    public bool TryWrite(JournalBacklog backlog, long after, long last)
    {
        var groups = eventFiles.Groups.FindAfter(after, last, static () => { }, out var reached);
        backlog.Written = reached;
        return reached >= last && groups.TrueForAll(files.TryWrite);
    }

    /// <summary>Notes that the events up to a position have files of their own.</summary>
    /// <param name="written">The position.</param>
    /// <param name="head">The last position in the index.</param>
    /// <param name="held">The lock.</param>
    public void Drop(long written, long head, StoreLock.Held held)
    {
        if (ownAfter < written)
            ownAfter = written < head ? written : null;
        if (held.JournaledAfter < written)
            held.JournaledAfter = written < head ? written : null;
        if (After(held) is null)
            Interlocked.Exchange(ref ownBytes, 0);
        CatchUp(head, held);
    }

    /// <summary>Writes the files of all groups' events.</summary>
    /// <param name="written">Events of the journal's files, which have got theirs.</param>
    /// <param name="held">The lock.</param>
    /// <returns>The number of events.</returns>
    public int WriteAll(IReadOnlyList<JournalLine> written, StoreLock.Held held)
    {
        if (After(held) is not { } after)
            return 0;
        if (written.Count > 0 && written[0].Position <= after + 1)
            after = Math.Max(after, written[^1].Position);
        return Write(eventFiles.Groups.FindAfter(after, null, held.ThrowIfLost, out _), held);
    }

    /// <summary>Writes the files of the groups' events.</summary>
    /// <returns>The number of events.</returns>
    /// <exception cref="LockLostException">The lock was lost; nothing was written.</exception>
    /// <inheritdoc cref="EventGroupFiles.Write"/>
    public int Write(IReadOnlyList<EventGroup> groups, StoreLock.Held held)
    {
        if (groups.Count == 0)
            return 0;
        // Order matters: before anything is written. Another holder of the lock may be about to take a group back.
        held.ThrowIfLost();
        foreach (var group in groups)
            files.Write(group, held);
        return groups.Sum(static group => (int)(group.Last - group.First + 1));
    }

    /// <summary>Notes that no group waits.</summary>
    public void Clear()
    {
        ownAfter = null;
        Interlocked.Exchange(ref ownBytes, 0);
        Interlocked.Exchange(ref waiting, 0);
    }

    // Another process may have lost the note of this one's groups where the lock does not keep them apart.
    private long? After(StoreLock.Held held) => (held.JournaledAfter, ownAfter) switch
    {
        ({ } noted, { } own) => Math.Min(noted, own),
        var (noted, own) => noted ?? own,
    };
}
