using Opossum.FileSystem;
using Opossum.Reactions.Files;
using Opossum.Testing.Simulated;
using Opossum.Tests.Repair;

namespace Opossum.Tests.Reactions;

/// <summary>What callers see of a reaction's files while others change them, or while they cannot be read.</summary>
public sealed class ReactionReaderTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_listing_that_misses_both_names_of_a_folder_that_is_being_renamed_does_not_hide_it(bool ofAll)
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var process = new SteppedReaction(disk.Attach(), [], static _ => throw new InvalidOperationException("no mail server"), retries: 0);
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        using var other = disk.Attach();
        var (live, aside) = (process.Layout.Folder(ReactionLayout.Live, process.Layout.List(other, ReactionLayout.Live)[^1]), "/aside");
        process.Client.BeforeOperation = operation =>
        {
            if (other.GetKind(aside) == EntryKind.Folder)
            {
                process.Client.BeforeOperation = null;
                other.MoveFolder(aside, live);
            }
            else if (operation.Kind == OperationKind.List && operation.Path == process.Layout.Root)
            {
                other.MoveFolder(live, aside);
            }
        };

        if (ofAll)
            Assert.Equal(["recording"], await process.Store.Reactions.ListAsync(TestContext.Current.CancellationToken));
        else
            Assert.Equal([1], process.Parked);
        Assert.Null(process.Client.BeforeOperation);
    }

    [Fact(Timeout = 60_000)]
    public async Task Wait_for_a_halted_reaction_reports_files_that_cannot_be_read()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        var options = new ReactionOptions { TakeOverInterval = TimeSpan.FromMilliseconds(10) };
        var store = place.Open();
        await store.AppendAsync([RecordingReaction.Placed("a")], cancellationToken: TestContext.Current.CancellationToken);
        await using (var running = store.StartReactions([new RecordingReaction(ReactionStart.Beginning)], options))
            await running.WaitForAsync(1, TestContext.Current.CancellationToken);
        place.CloseStores();
        place.Repair(Remedies.Truncate(0));
        store = place.Open();
        await using var halted = store.StartReactions([new RecordingReaction(ReactionStart.Beginning)], options);
        while (await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken) is not { IsLeader: true, Halt: not null })
            await Task.Delay(1, TestContext.Current.CancellationToken);
        place.Disk!.Fail(new Fault
        {
            When = static each => each.Path.EndsWith("/requests", StringComparison.Ordinal),
            Lasts = true,
        });

        await Assert.ThrowsAsync<StoreIOException>(() => halted.WaitForAsync(1, TestContext.Current.CancellationToken));
    }
}
