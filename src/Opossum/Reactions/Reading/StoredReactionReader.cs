using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Reading;

/// <summary>Reads what the files of a reaction show, in a process that need not know or lead it, and writes requests to its leader.</summary>
internal sealed class StoredReactionReader(ReactionHost host, string name)
{
    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly ReactionLayout layout = new(host.Folder, name);
    private readonly FileWork work = NewWork(host, name);

    /// <summary>The names of the reactions that have begun on the store.</summary>
    public static Task<IReadOnlyList<string>> ListAsync(ReactionHost host, CancellationToken cancellationToken) =>
        NewWork(host, "of this store").DoAsync(() => List(host), cancellationToken);

    public async Task<StoredReaction> ReadAsync(CancellationToken cancellationToken)
    {
        var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        var (checkpoint, problem) = await work.DoAsync(() => Look(Checkpoint), cancellationToken).ConfigureAwait(false);
        if (checkpoint is not null && !await StoreEvents.HasAsync(host.Store, checkpoint.At, cancellationToken).ConfigureAwait(false))
            problem = "Its checkpoint does not fit the store: the store was restored from a backup, repaired, or is another one.";
        var position = checkpoint?.At.Position ?? 0;
        return await work.DoAsync(() => new StoredReaction
        {
            Name = name,
            Position = position,
            Head = Math.Max(head, problem is null ? position : 0),
            Open = checkpoint?.Open.Count ?? 0,
            Failing = checkpoint?.Attempts.Count ?? 0,
            Parked = PositionsOf(checkpoint),
            Skipped = ReactionLayout.Positions(fileSystem, layout.Skipped),
            Scheduled = DueFile.List(fileSystem, layout).Count,
            OpenRequests = LeaderRequest.List(fileSystem, layout).Count,
            Halt = problem,
        }, cancellationToken).ConfigureAwait(false);
    }

    public Task<IReadOnlyList<ParkedEvent>> ReadParkedAsync(CancellationToken cancellationToken) =>
        ReadParkedAsync(0, int.MaxValue, cancellationToken);

    public Task<IReadOnlyList<ParkedEvent>> ReadParkedAsync(long after, int max, CancellationToken cancellationToken) => work.DoAsync(
        () => (IReadOnlyList<ParkedEvent>)[.. Some(ParkedPositions(), after, max).Select(each => ParkedFile.Read(fileSystem, layout, each))],
        cancellationToken);

    public Task<IReadOnlyList<SkippedEvent>> ReadSkippedAsync(long after, int max, CancellationToken cancellationToken) => work.DoAsync(
        () => (IReadOnlyList<SkippedEvent>)[.. Some(ReactionLayout.Positions(fileSystem, layout.Skipped), after, max)
            .Select(each => ParkedFile.ReadSkipped(fileSystem, layout, each))],
        cancellationToken);

    public Task<IReadOnlyList<ScheduledEvent>> ReadScheduledAsync(string? after, int max, CancellationToken cancellationToken) => work.DoAsync(
        () => (IReadOnlyList<ScheduledEvent>)ReadScheduled(after, max, cancellationToken), cancellationToken);

    /// <summary>Writes a request to the leader, in whichever process it is.</summary>
    /// <exception cref="InvalidOperationException">The event at the request's position is not parked.</exception>
    public async Task<LeaderRequest> WriteAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        if (!host.CanWrite)
        {
            throw new NotSupportedException($"The store in {host.StoreRoot} is open for reading only. To retry or skip an event of a reaction, or "
                + $"to handle events again, open the store with {nameof(OpossumOptions)}.{nameof(OpossumOptions.ReadOnly)} = false.");
        }
        if (request.Kind != RequestKind.HandleAgain && (await ReadAsync(cancellationToken).ConfigureAwait(false)).Halt is { } halt)
        {
            throw new InvalidOperationException($"The reaction {name} is halted, so that it retries and skips nothing. {halt} Say after which "
                + "position it goes on: opossum reactions again, or HandleAgainAsync.");
        }
        if (request.Kind == RequestKind.HandleAgain)
        {
            var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
            if (request.Position < 1 || request.Position > head + 1)
            {
                throw new ArgumentOutOfRangeException(nameof(request), request.Position - 1,
                    $"The position after which the reaction {name} goes on must lie between 0 and {head}, the store's head.");
            }
        }
        return await work.DoAsync(() => Write(request), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Whether the leader has not carried out a request yet.</summary>
    public Task<bool> IsOpenAsync(LeaderRequest request, CancellationToken cancellationToken) =>
        work.DoAsync(() => LeaderRequest.IsOpen(fileSystem, layout, request.Id), cancellationToken);

    public Task PollAsync(Task done, CancellationToken cancellationToken) => work.PollAsync(done, cancellationToken);

    private static FileWork NewWork(ReactionHost host, string name) => new(host, $"The files of the reaction {name}",
        "Move it away.", static e => new StoreIOException(e.Path, $"{e.Message}.", e));

    private static IReadOnlyList<string> List(ReactionHost host)
    {
        var fileSystem = host.FileSystem;
        if (fileSystem.GetKind(host.Folder) != EntryKind.Folder)
            return [];
        fileSystem.ThrowIfLink(host.Folder);
        return [.. fileSystem.List(host.Folder)
            .Where(name => new ReactionLayout(host.Folder, name).List(fileSystem, ReactionLayout.Live).Count > 0)
            .Order(StringComparer.Ordinal)];
    }

    // Events are appended meanwhile, and their files deleted: the others fill the page.
    private List<ScheduledEvent> ReadScheduled(string? after, int max, CancellationToken cancellationToken)
    {
        var found = new List<ScheduledEvent>();
        var files = DueFile.List(fileSystem, layout).Where(each => string.CompareOrdinal(each, after) > 0);
        foreach (var file in files.Order(StringComparer.Ordinal))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (DueFile.Describe(fileSystem, layout, file) is { } scheduled)
                found.Add(scheduled);
            if (found.Count == max)
                break;
        }
        return found;
    }

    private static IEnumerable<long> Some(List<long> positions, long after, int max) => positions.Where(each => each > after).Take(max);

    private LeaderRequest Write(LeaderRequest request)
    {
        if (request.Kind is RequestKind.Retry or RequestKind.Skip && !ParkedPositions().Contains(request.Position))
        {
            throw new InvalidOperationException($"The reaction {name} has not parked the event at position {request.Position}; only parked events "
                + "can be retried or skipped on request.");
        }
        try
        {
            request.Write(host, layout);
            return request;
        }
        catch (FileSystemException e)
        {
            throw new StoreIOException(e.Path, $"No request was sent to the reaction {name}. {e.Message} Fix the cause and try again.", e);
        }
    }

    private List<long> ParkedPositions() => PositionsOf(Look(Checkpoint).Checkpoint);

    private static List<long> PositionsOf(ReactionCheckpoint? checkpoint) =>
        checkpoint is null ? [] : [.. checkpoint.Parked.Select(static each => each.Position).Order()];

    private (ReactionCheckpoint? Checkpoint, string? Problem) Checkpoint(long number)
    {
        var checkpoint = CheckpointFiles.Read(fileSystem, layout.Folder(ReactionLayout.Live, number), out var problem);
        return (checkpoint, checkpoint is null ? $"Its checkpoint cannot be read: {problem}." : null);
    }

    // A leader that takes over renames the folder.
    private (ReactionCheckpoint? Checkpoint, string? Problem) Look(Func<long, (ReactionCheckpoint?, string?)> read)
    {
        const int LooksMax = 100;
        for (var looks = 1; ; looks++)
        {
            if (layout.List(fileSystem, ReactionLayout.Live) is not [.., var newest])
                return (null, null);
            try
            {
                if (read(newest) is var found && (found.Item1 is not null || looks == LooksMax || IsThere(newest)))
                    return found;
            }
            catch (FileSystemException e) when (e.Error == FileError.NotFound && looks < LooksMax)
            {
                // The folder has its next name by now.
            }
        }
    }

    private bool IsThere(long number) => fileSystem.GetKind(layout.Folder(ReactionLayout.Live, number)) == EntryKind.Folder;
}
