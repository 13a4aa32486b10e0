using Opossum.Maintenance;
using Opossum.Tests.Reactions;

namespace Opossum.Tests.Backup;

/// <summary>A restored store does not know which events its reactions have handled, so they handle nothing until somebody says from where.</summary>
public sealed class BackupReactionTests : IDisposable
{
    private static readonly ReactionOptions quick = new() { TakeOverInterval = TimeSpan.FromMilliseconds(10) };

    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private string Source => Path.Combine(folder, "source");

    private string Backup => Path.Combine(folder, "backup");

    private string Restored => Path.Combine(folder, "restored");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Theory]
    [InlineData(0, 3)]
    [InlineData(3, 0)]
    public async Task Restored_reaction_halts_until_it_is_told_from_where_it_goes_on(long after, int again)
    {
        await HandleThreeAndBackUpAsync();
        await StoreBackup.RestoreAsync(Backup, Restored, cancellationToken: Cancellation);

        await using var store = await OpenAsync(Restored);
        var reaction = new RecordingReaction(ReactionStart.Beginning, isKeyed: false);
        await using (var runner = store.StartReactions([reaction], quick))
        {
            await store.AppendAsync(RecordingReaction.Placed("d"), cancellationToken: Cancellation);
            var status = await HaltedAsync(store);
            Assert.Contains("is one of a backup, which does not know which events were handled", status.Halt, StringComparison.Ordinal);
            Assert.Empty(reaction.Handled);
            Assert.Equal(["recording"], await store.Reactions.ListAsync(Cancellation));

            await store.Reactions["recording"].HandleAgainAsync(after, cancellationToken: Cancellation);
            await reaction.WaitForAsync(again + 1);
        }
        Assert.Equal(Enumerable.Range(4 - again, again + 1).Select(each => (long)each), reaction.Positions);

        var next = new RecordingReaction(ReactionStart.Beginning);
        await using (store.StartReactions([next], quick))
        {
            await store.AppendAsync(RecordingReaction.Placed("e"), cancellationToken: Cancellation);
            await next.WaitForAsync(1);
        }
        Assert.Equal([5], next.Positions);
    }

    [Fact]
    public async Task Second_backup_of_a_restored_store_and_a_backup_that_is_opened_itself_halt_too()
    {
        await HandleThreeAndBackUpAsync();
        await StoreBackup.RestoreAsync(Backup, Restored, cancellationToken: Cancellation);
        await StoreBackup.RunAsync(Restored, Path.Combine(folder, "second"), cancellationToken: Cancellation);
        foreach (var copy in new[] { Backup, Path.Combine(folder, "second") })
        {
            await using var store = await OpenAsync(copy);
            var reaction = new RecordingReaction(ReactionStart.Beginning);
            await using var runner = store.StartReactions([reaction], quick);
            await HaltedAsync(store);
            Assert.Empty(reaction.Handled);
        }
    }

    [Fact]
    public async Task Files_of_a_reaction_are_not_copied()
    {
        await HandleThreeAndBackUpAsync();
        Assert.Equal([Path.Combine(Backup, "Reactions", "recording", "live.0000000000", "copied.json")],
            Directory.GetFiles(Path.Combine(Backup, "Reactions"), "*", SearchOption.AllDirectories));
    }

    [Fact]
    public async Task Folder_of_reactions_with_more_than_such_marks_is_not_restored_into()
    {
        await HandleThreeAndBackUpAsync();
        Directory.CreateDirectory(Path.Combine(Restored, "Reactions", "recording", "live.0000000007"));
        var refusal = await Assert.ThrowsAsync<StoreMaintenanceException>(
            () => StoreBackup.RestoreAsync(Backup, Restored, cancellationToken: Cancellation));
        Assert.Contains("it holds \"Reactions\"", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Reaction_of_a_former_store_that_followed_and_is_promoted_again_halts()
    {
        await HandleThreeAndBackUpAsync();
        await StoreReplica.UpdateAsync(Source, Restored, cancellationToken: Cancellation);
        await StoreReplica.PromoteAsync(Restored, cancellationToken: Cancellation);
        await using (var store = await OpenAsync(Restored))
        {
            var reaction = new RecordingReaction(ReactionStart.Beginning);
            await using var runner = store.StartReactions([reaction], quick);
            await HaltedAsync(store);
            await store.Reactions["recording"].HandleAgainAsync(3, cancellationToken: Cancellation);
            await store.AppendAsync(RecordingReaction.Placed("d"), cancellationToken: Cancellation);
            await reaction.WaitForAsync(1);
        }
        await StoreReplica.UpdateAsync(Restored, Source, cancellationToken: Cancellation);
        await StoreReplica.PromoteAsync(Source, cancellationToken: Cancellation);

        await using var again = await OpenAsync(Source);
        var former = new RecordingReaction(ReactionStart.Beginning);
        await using var running = again.StartReactions([former], quick);
        await HaltedAsync(again);
        Assert.Empty(former.Handled);
    }

    private static Task<FileSystemEventStore> OpenAsync(string path) =>
        FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }, Cancellation);

    private static async Task<ReactionStatus> HaltedAsync(FileSystemEventStore store)
    {
        while (true)
        {
            if ((await store.Reactions["recording"].GetStatusAsync(Cancellation)) is { Phase: FollowerPhase.Halted, IsLeader: true } status)
                return status;
            await Task.Delay(1, Cancellation);
        }
    }

    private async Task HandleThreeAndBackUpAsync()
    {
        await using (var store = await OpenAsync(Source))
        {
            var reaction = new RecordingReaction(ReactionStart.Beginning);
            await using var runner = store.StartReactions([reaction], quick);
            foreach (var order in new[] { "a", "b", "c" })
                await store.AppendAsync(RecordingReaction.Placed(order), cancellationToken: Cancellation);
            await reaction.WaitForAsync(3);
        }
        await StoreBackup.RunAsync(Source, Backup, cancellationToken: Cancellation);
    }
}
