using Opossum.FileSystem;
using Opossum.Storage.Commit;
using Opossum.Storage.Definitions;
using Opossum.Storage.Failures;
using Opossum.Storage.Index;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Rules;

/// <summary>
/// Changes the tag rules of an open store: makes another index file with the tags of the new rules while others append and read, and
/// gives it the index's name under the store's lock. So a process that has the lock has all tags of a rule, or does not have the rule.
/// </summary>
/// <param name="findPersonal">Finds why a rule would make a tag of personal data, as a sentence; null: none would.</param>
internal sealed class TagRuleChange(OpenStore store, StoreSettings settings, Func<IEnumerable<TagRule>, string?> findPersonal,
    IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
{
    // What is appended while the first part is made, is made again without the lock, so that appends wait for little.
    private const int AddedUnderLockMax = 1_000;
    private const int PassesMax = 8;

    private readonly StoreFolder folder = store.Folder;
    private readonly WritingParts writing = store.Writing!;
    private readonly EventIndex index = store.Writing!.Index;

    /// <summary>How long it waits for another process that changes rules, or makes parts of the index.</summary>
    public TimeSpan DutyTimeout { get; init; } = settings.LockTimeout;

    /// <summary>Adds and removes rules; false when nothing was to be changed.</summary>
    /// <exception cref="EventStoreException">The rules were not changed, or not completely; the message says why.</exception>
    public bool Run(IReadOnlyCollection<TagRule> added, IReadOnlyCollection<TagRule> removed)
    {
        try
        {
            return RunOnce(added, removed);
        }
        catch (Exception e) when (e is LockLostException or DiskStateUnknownException or FileSystemException)
        {
            throw new StoreIOException((e as FileSystemException)?.Path ?? folder.Root,
                $"The tag rules of {folder.Root} were not changed, or not completely. {e.Message} The same call, made again, does the rest.", e);
        }
    }

    private bool RunOnce(IReadOnlyCollection<TagRule> added, IReadOnlyCollection<TagRule> removed)
    {
        ThrowIfRefused();
        // Before the rules are read, so that changes of several processes follow each other.
        using (StoreDuty.Take(folder, Duty.Runs, DutyTimeout))
        {
            var rules = Find(added, removed).Rules;
            if (rules.IsSameAs(index.TakeView().Rules))
                return TagRuleFiles.Settle(folder.FileSystem, folder.Layout, rules, removed, durable: rules);
            Change(added, removed, rules);
            // Before the next change, which compares the files with the index that it sees.
            index.WaitUntilReplacedIsSeen();
        }
        writing.RunBuilder.Run();
        return true;
    }

    // Wanted: with those to be removed.
    private (TagRuleSet Wanted, TagRuleSet Rules) Find(IReadOnlyCollection<TagRule> added, IReadOnlyCollection<TagRule> removed)
    {
        var wanted = TagRuleSet.Of(TagRuleFiles.Read(folder.FileSystem, folder.Layout).Rules.Concat(added));
        return (wanted, TagRuleSet.Of(wanted.Rules.Except(removed)));
    }

    private void Change(IReadOnlyCollection<TagRule> added, IReadOnlyCollection<TagRule> removed, TagRuleSet expected)
    {
        while (true)
        {
            using var made = NewMaking(expected);
            for (var pass = 0; pass < PassesMax && index.TakeView() is var view && view.Contents.Head - made.Head > AddedUnderLockMax; pass++)
            {
                made.Add(view, view.Contents.Head, cancellationToken);
                // Appends would wait for it under the lock.
                made.Flush();
            }
            using var held = Acquire();
            // Left by a process that ended before it indexed them, or this machine's view of a share is stale: the rules are for them too.
            if (store.EventFiles.Listing.AfterOnServer(index.Head, furtherMax: 1, held.ThrowIfLost).Count > 0)
                writing.Recovery.Run(held);
            // On a share the duty may have been lost, and another process may have changed the rules.
            var (wanted, rules) = Find(added, removed);
            if (index.FileInUse == made.Basis && rules.IsSameAs(expected))
            {
                Use(made, wanted, rules, removed, held);
                return;
            }
            // A repair or a redaction has replaced the index too, and then events may be others.
            expected = rules;
        }
    }

    private StoreLock.Held Acquire()
    {
        try
        {
            return new CatchUp(writing).Acquire(settings.LockTimeout);
        }
        catch (FileSystemException e) when (e.Error == FileError.Moved)
        {
            // It may have become a replica since.
            ThrowIfRefused();
            throw;
        }
    }

    // Invariant: a rule that the index has is durable as a file, or an index that is made again would lack its tags. So
    // the files of added rules are there before the index is replaced, and those of removed rules stay until it is.
    private void Use(IndexMaking made, TagRuleSet wanted, TagRuleSet rules, IReadOnlyCollection<TagRule> removed, StoreLock.Held held)
    {
        made.Add(index.TakeView(), index.Head, cancellationToken, isUrgent: true);
        var staged = made.Finish();
        held.ThrowIfLost();
        TagRuleFiles.Settle(folder.FileSystem, folder.Layout, wanted, removed: [], durable: index.TakeView().Rules);
        held.ThrowIfLost();
        index.Replace(staged, made.Tail, made.End, held);
        TagRuleFiles.Settle(folder.FileSystem, folder.Layout, rules, removed, durable: wanted);
    }

    private IndexMaking NewMaking(TagRuleSet rules)
    {
        // Those that the index has keep no others out, and can be removed.
        if (findPersonal(rules.Rules.Except(index.TakeView().Rules.Rules)) is { } problem)
        {
            throw new StoreMaintenanceException(folder.Root,
                $"The tag rules were not changed: {problem} Choose another member, or append the tag as Tag.Pseudonym.");
        }
        return new(folder, index, store.EventFiles, rules, progress);
    }

    private void ThrowIfRefused()
    {
        if (folder.FindReplica() is { } replica)
            throw new StoreMaintenanceException(folder.Root, replica.InWords(folder.Root, StoreFile.Read(folder.FileSystem, folder.Layout)));
        if (folder.Volume.CachesIgnoreLocks)
        {
            throw new StoreMaintenanceException(folder.Root,
                $"{folder.Root} lies on {folder.Volume.Name}, where other machines may not see for a while that the index was replaced. "
                    + "Tag rules are not possible there. Nothing was changed.");
        }
    }
}
