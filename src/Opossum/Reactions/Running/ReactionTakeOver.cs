using System.Globalization;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>Makes a reaction's folder that of a new leader, so that nothing that a former leader still does reaches it.</summary>
internal sealed class ReactionTakeOver
{
    private const string Advice = "Say from which position it continues: opossum reactions again, or HandleAgainAsync. Events that were handled "
        + "after that position are handled again.";

    private readonly ReactionHost host;
    private readonly Reaction reaction;
    private readonly ReactionLayout layout;
    private readonly Leadership leadership;
    private readonly IFileSystem fileSystem;

    private ReactionTakeOver(ReactionHost host, Reaction reaction, ReactionLayout layout, Leadership leadership)
    {
        this.host = host;
        this.reaction = reaction;
        this.layout = layout;
        this.leadership = leadership;
        fileSystem = host.FileSystem;
    }

    public static ValueTask<ReactionTaken> RunAsync(ReactionHost host, Reaction reaction, ReactionLayout layout, Leadership leadership,
        CancellationToken cancellationToken) =>
        new ReactionTakeOver(host, reaction, layout, leadership).RunAsync(cancellationToken);

    private async ValueTask<ReactionTaken> RunAsync(CancellationToken cancellationToken)
    {
        var live = layout.List(fileSystem, ReactionLayout.Live);
        var begun = layout.List(fileSystem, ReactionLayout.New);
        foreach (var folder in live.Select(each => layout.Folder(ReactionLayout.Live, each)))
            fileSystem.ThrowIfLink(folder);
        // Between taking the lock and writing its text this process may have halted and lost the lock to others that took the same numbers.
        if (live.Concat(begun).Any(each => each >= leadership.Term))
            throw new LeadershipLostException("Another process took the lead at the same time.");
        foreach (var each in begun)
            Retire(ReactionLayout.New, each);
        // Only the newest was ever used by a leader that saw no other.
        foreach (var each in live.SkipLast(1))
            Retire(ReactionLayout.Live, each);
        RemoveOld();
        return live.Count > 0 ? await ContinueAsync(live[^1], cancellationToken).ConfigureAwait(false)
            : await BeginAsync(cancellationToken).ConfigureAwait(false);
    }

    private void RemoveOld()
    {
        foreach (var each in layout.List(fileSystem, ReactionLayout.Old))
        {
            try
            {
                fileSystem.RemoveFolder(layout.Folder(ReactionLayout.Old, each));
            }
            catch (FileSystemException)
            {
                // Another program has a file open. Nothing depends on it: the next leader tries again.
            }
        }
    }

    // Invariant: no former leader hands out an event that the checkpoint read here does not name: after the flush of a
    // checkpoint and before the hand-out, it looks whether the folder has its name. So the folder is renamed first, and
    // the next checkpoints go to files of this term, which no open handle of a former leader reaches.
    private async ValueTask<ReactionTaken> ContinueAsync(long number, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var folder = layout.Folder(ReactionLayout.Live, leadership.TakeNumber());
        fileSystem.MoveFolder(layout.Folder(ReactionLayout.Live, number), folder);
        fileSystem.FlushFolder(layout.Root);
        var found = CheckpointFiles.Read(fileSystem, folder, out var problem);
        if (found is null)
            return new ReactionTaken(folder, null, null, $"Its checkpoint cannot be read: {problem}. {Advice}");
        if (!await StoreEvents.HasAsync(host, found.At, cancellationToken).ConfigureAwait(false))
        {
            return new ReactionTaken(folder, null, found, string.Create(CultureInfo.InvariantCulture,
                $"Its checkpoint does not fit the store: it was at the event {found.At.Id} at position {found.At.Position}, which the store does "
                + $"not have there. The store was restored from a backup, repaired, or is another one. {Advice}"));
        }
        if (found is { Open.Count: > 0, HasEnded: false })
        {
            found = found with
            {
                Interrupted = [.. found.Interrupted, found.At.Position],
                Crashed = [.. found.Crashed, found.At.Position],
            };
        }
        found = found with { HasEnded = false };
        return new ReactionTaken(folder, CheckpointFiles.Create(fileSystem, folder, leadership.Term, found), found, null);
    }

    private async ValueTask<ReactionTaken> BeginAsync(CancellationToken cancellationToken)
    {
        // A start at the head is recorded also when the reaction is being stopped: the next one would be at a later head.
        var start = await FindStartAsync(reaction.Start == ReactionStart.Head ? CancellationToken.None : cancellationToken)
            .ConfigureAwait(false);
        host.MakeDurable(start.Position);
        var number = leadership.TakeNumber();
        var (staging, folder) = (layout.Folder(ReactionLayout.New, number), layout.Folder(ReactionLayout.Live, number));
        leadership.ThrowIfLost();
        fileSystem.CreateFolderDurably(staging);
        var checkpoint = new ReactionCheckpoint(0, start, [], [], [], [], []) { Types = reaction.HandledTypes };
        // The checkpoint first, so that a live folder without one is known to be damaged.
        checkpoint.Create(fileSystem, ReactionLayout.CheckpointFile(staging, leadership.Term, checkpoint.Turn));
        fileSystem.MoveFolder(staging, folder);
        fileSystem.FlushFolder(layout.Root);
        // A leader that was away may have begun at the same time. At least one of the two sees the other, and neither has handled anything.
        if (layout.List(fileSystem, ReactionLayout.Live).Count > 1)
        {
            Retire(ReactionLayout.Live, number);
            throw new LeadershipLostException("Another process began at the same time.");
        }
        ReactionLog.Begins(host.Logger, reaction.Name, start.Position);
        return new ReactionTaken(folder, CheckpointFiles.Create(fileSystem, folder, leadership.Term, checkpoint), checkpoint, null);
    }

    private async ValueTask<EventAt> FindStartAsync(CancellationToken cancellationToken)
    {
        var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        var position = reaction.Start switch
        {
            { Position: { } after } when after > head => throw new InvalidOperationException(string.Create(CultureInfo.InvariantCulture,
                $"The reaction {reaction.Name} shall start after position {after}, but the store's head is {head}. It waits until the store has "
                + $"{after} events.")),
            { Position: { } after } => after,
            { FirstTime: { } time } => await FindBeforeAsync(time, cancellationToken).ConfigureAwait(false),
            _ => host.Head,
        };
        var id = position == 0 ? Guid.Empty : await StoreEvents.FindIdAsync(host.Store, position, cancellationToken).ConfigureAwait(false);
        return new EventAt(position, id ?? throw new InvalidOperationException(string.Create(CultureInfo.InvariantCulture,
            $"The store no longer has the event at position {position}, after which the reaction {reaction.Name} shall start.")));
    }

    // The last of its events before the first one from that time on.
    private async ValueTask<long> FindBeforeAsync(DateTimeOffset time, CancellationToken cancellationToken)
    {
        // From the beginning: the clocks of several machines are not one, so timestamps need not ascend.
        for (long before = 0, searched = 0; ;)
        {
            var stream = host.Store.ReadAsync(reaction.Query, new ReadOptions { After = searched }, cancellationToken);
            try
            {
                await foreach (var e in stream.ConfigureAwait(false))
                {
                    if (e.Timestamp >= time)
                        return before;
                    before = searched = e.Position;
                }
                return before;
            }
            catch (StoreDamagedException e) when (e.Position > searched)
            {
                // Its time is not known: between older events it counts as one.
                searched = e.Position;
            }
        }
    }

    private void Retire(string kind, long number)
    {
        fileSystem.MoveFolder(layout.Folder(kind, number), layout.Folder(ReactionLayout.Old, number));
        fileSystem.FlushFolder(layout.Root);
    }
}
