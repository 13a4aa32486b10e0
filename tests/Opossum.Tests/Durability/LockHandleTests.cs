using Opossum.FileSystem.Simulated;
using Opossum.Storage;
using Opossum.Tests.Subscriptions;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Durability;

/// <summary>
/// The processes of a machine that has mounted an SMB share may have one handle of the lock file in common; what one of them could not unlock
/// on it stays locked until the last has closed it. So there nobody keeps it open who does not need it.
/// </summary>
public sealed class LockHandleTests
{
    [Fact]
    public async Task Lock_file_on_SMB_is_closed_after_opening_and_some_time_after_an_append()
    {
        var clock = new HandDrivenClock();
        using var place = StorePlace.On(VolumeKind.Smb, clock);
        using var client = place.Disk!.Attach();
        place.Disk.Trace = [];
        var store = place.Open(client);
        Assert.Equal(0, OpenHandles(place.Disk, client));
        await store.AppendAsync([New("a")]);
        Assert.Equal(1, OpenHandles(place.Disk, client));
        clock.Advance(TimeSpan.FromSeconds(9));
        await store.AppendAsync([New("a")]);
        clock.Advance(TimeSpan.FromSeconds(9));
        Assert.Equal(1, OpenHandles(place.Disk, client));
        clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(0, OpenHandles(place.Disk, client));
        await store.AppendAsync([New("a")]);
        Assert.Equal(3, await store.GetHeadAsync());
    }

    [Fact]
    public void Lock_file_on_SMB_is_closed_while_its_lock_is_waited_for_long()
    {
        var disk = new SimulatedDisk(VolumeKind.Smb, new SimulatedClock());
        var history = new History();
        Scenarios.Append(1)(disk, history);
        var holder = SteppedStore.Open(disk.Attach());
        disk.Trace = [];
        var waiter = SteppedStore.Open(disk.Attach(), lockTimeout: TimeSpan.FromSeconds(3));
        var refused = history.New();
        var handles = new List<int>();
        holder.Client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.CreateNew)
                return;
            holder.Client.BeforeOperation = null;
            var started = disk.Clock.GetTimestamp();
            waiter.Client.BeforeOperation = waiting =>
            {
                if (waiting.Kind == OperationKind.Pause && disk.Clock.GetElapsedTime(started) > TimeSpan.FromSeconds(1))
                    handles.Add(OpenHandles(disk, waiter.Client));
            };
            waiter.Append(refused);
        };
        holder.Append(history.New());

        Assert.IsType<StoreLockTimeoutException>(refused.Error);
        Assert.NotEmpty(handles);
        Assert.All(handles, static count => Assert.Equal(0, count));
        waiter.Client.BeforeOperation = null;
        waiter.Append(history.New());
        Promises.Check(disk, history);
    }

    private static int OpenHandles(SimulatedDisk disk, SimulatedFileSystem client)
    {
        var own = disk.Trace!.Where(each => each.Client == client && each.Path.EndsWith(StoreLayout.LockFileName, StringComparison.Ordinal)).ToList();
        return own.Count(static each => each.Kind == OperationKind.OpenOrCreate) - own.Count(static each => each.Kind == OperationKind.Close);
    }
}
