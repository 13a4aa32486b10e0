using Microsoft.Extensions.Logging;
using Opossum.FileSystem;
using Opossum.Storage.Failures;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Commit;

/// <summary>
/// The only place where appends are decided and made durable: a group at a time, with one lock, one flush, and an outcome for each append.
/// </summary>
internal sealed class Committer
{
    // Bounds the retries for a name that recovery can neither adopt nor set aside.
    private const int TriesWithoutProgressMax = 16;

    private readonly OpenStore store;
    private readonly WritingParts writing;
    private readonly StoreSettings settings;
    private readonly EventIndex index;
    private readonly FilesBehind files;
    private readonly CatchUp catchUp;
    private readonly EventFileCreator creator;
    private readonly LateWrites lateWrites;
    private readonly LineMending lineMending;

    /// <param name="faulted">Called when the store accepts no further appends.</param>
    public Committer(OpenStore store, WritingParts writing, StoreSettings settings, ILogger logger, Action? faulted = null)
    {
        (this.store, this.writing, this.settings) = (store, writing, settings);
        (index, files) = (writing.Index, writing.Files);
        catchUp = new CatchUp(writing);
        Outcomes = new Outcomes(settings, logger, faulted);
        creator = new EventFileCreator(store.Folder, store.EventFiles);
        lateWrites = new LateWrites(writing, store.EventFiles, settings, logger);
        lineMending = new LineMending(index, store.EventFiles, logger);
        Writeback = new Writeback(store.Folder, writing, settings, catchUp, Outcomes, logger);
    }

    /// <summary>Brings the event files up to the log.</summary>
    public Writeback Writeback { get; }

    public Outcomes Outcomes { get; }

    public TimeProvider Clock => settings.TimeProvider;

    /// <summary>Commits the group. Never throws: each append ends with its own outcome.</summary>
    /// <param name="fill">Adds the appends that have queued; called once the lock is held.</param>
    public void Commit(Group group, Action<Group> fill)
    {
        try
        {
            CommitUnderLock(group, fill);
        }
        catch (Exception e)
        {
            group.TryStart();
            Outcomes.End(group, e);
        }
        lateWrites.MakeGood();
    }

    private void CommitUnderLock(Group group, Action<Group> fill)
    {
        Outcomes.ThrowIfFaulted();
        using var held = catchUp.Acquire(settings.LockTimeout, group.QueuedAt);
        fill(group);
        if (group.TryStart())
            WriteOrSplit(group, held);
    }

    private void WriteOrSplit(Group group, StoreLock.Held held)
    {
        try
        {
            Write(group, held);
        }
        catch (FileSystemException) when (group.Appends.Count > 1)
        {
            // Nothing of the group is stored. Each append is tried alone, to find those that the disk has room for.
            foreach (var append in group.Appends)
            {
                var alone = Group.Of(append);
                try
                {
                    Write(alone, held);
                }
                catch (Exception e)
                {
                    Outcomes.End(alone, e);
                }
            }
        }
    }

    // Invariant: the index shows no event before its whole append is stored and, unless that is switched off, flushed.
    // So room is reserved first, except on a share, then files or lines are written, and the frames come last: a crash
    // in between leaves a whole append, which recovery indexes, or remains of one whose caller got no result.
    private void Write(Group group, StoreLock.Held held)
    {
        var areLinesFirst = files.TakesLinesFirst(group.Bytes);
        try
        {
            Store(group, areLinesFirst, held);
        }
        catch (Exception e) when (e is LockLostException or DiskStateUnknownException)
        {
            lateWrites.Note(group.Events);
            throw;
        }
        if (group.Events.Count == 0)
            return;
        Publish(held, areLinesFirst);
        files.CountAppended(group.Bytes, held);
        lineMending.Run(held);
    }

    private void Store(Group group, bool areLinesFirst, StoreLock.Held held)
    {
        Outcomes.ThrowIfFaulted();
        var after = files.Prepare(areLinesFirst, held);
        var head = index.Head;
        for (var tries = 1; ; tries++)
        {
            group.Decide(index, store.EventFiles, after, settings.TimeProvider.GetUtcNow().UtcTicks);
            if (group.Events.Count == 0)
                return;
            Encode(group, areLinesFirst);
            index.Prepare(group.Events, held, hasLines: true, areLinesFirst);
            if (areLinesFirst ? TryAppendLines(group.Events[0].Position, held) : creator.TryCreate(group.Events, settings.Flush, held))
                break;
            // A name was taken: another process crashed between files and index, or this view is stale. The event files decide.
            group.Withdraw();
            writing.Recovery.Run(held);
            tries = index.Head > head ? 1 : tries;
            head = index.Head;
            if (tries >= TriesWithoutProgressMax)
                throw writing.Recovery.NameNeverFree(head + 1);
        }
        held.ThrowIfLost();
    }

    private void Encode(Group group, bool areLinesFirst)
    {
        if (areLinesFirst)
            index.Lines.Encode(group.Events);
        else
            creator.Encode(group.Events, index.Lines);
    }

    // False: a process that ended between its event files and their frames has taken the name.
    private bool TryAppendLines(long first, StoreLock.Held held)
    {
        if (store.EventFiles.HasName(first))
            return false;
        catchUp.BeginLines();
        files.BeginLines(held);
        index.AppendLines(held);
        catchUp.EndLines(held);
        return true;
    }

    private void Publish(StoreLock.Held held, bool hasLines)
    {
        try
        {
            index.Publish(held, hasLines);
        }
        catch (FileSystemException e)
        {
            throw new PublishFailedException(e);
        }
    }
}
