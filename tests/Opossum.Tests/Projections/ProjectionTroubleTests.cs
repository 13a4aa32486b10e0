using Opossum.FileSystem;
using Opossum.FileSystem.Simulated;

namespace Opossum.Tests.Projections;

/// <summary>What the disk refuses for a while is no fault of an event: it is shown, and passes.</summary>
public sealed class ProjectionTroubleTests
{
    private static readonly ProjectionOptions quick = new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(1), RetryPause = TimeSpan.Zero };

    [Theory]
    [InlineData("Write")]
    [InlineData("CreateNew")]
    [InlineData("Flush")]
    [InlineData("Move")]
    public async Task Disk_that_refuses_is_shown_and_everything_counts_once_when_it_works_again(string operation)
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var store = place.Open();
        await store.AppendAsync([Counts.Counted("a"), Counts.Counted("a", "b")]);
        await using var runner = store.StartProjections([new Counts()], quick);
        var counts = runner.Store<Count>();
        await counts.WaitForAsync(2);
        var refused = Enum.Parse<OperationKind>(operation);
        place.Disk!.Fail(new Fault { When = each => each.Kind == refused && each.Path.Contains("Projections", StringComparison.Ordinal), Error = FileError.DiskFull, Lasts = true });
        await store.AppendAsync([Counts.Counted("a"), Counts.Deleted("b"), Counts.Counted("c")]);
        while ((await counts.GetStatusAsync()) is not { Problem: not null, Fault: null })
            await Task.Yield();
        // The flush comes behind the move.
        Assert.Equal(operation == "Flush" ? 3 : 2, (await counts.GetAsync("a"))?.Number);
        place.Disk.Mend();
        await counts.WaitForAsync(5);
        Assert.Equal(3, (await counts.GetAsync("a"))?.Number);
        Assert.Equal(["a", "c"], (await counts.ReadAllAsync().ToListAsync()).Select(state => state.Key).Order());
        while ((await counts.GetStatusAsync()).Problem is not null)
            await Task.Yield();
    }
}
