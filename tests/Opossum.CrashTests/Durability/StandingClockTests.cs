using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;

namespace Opossum.Tests.Durability;

/// <summary>A test's clock may stand still, but whoever waits for the lock must not wait for ever.</summary>
public sealed class StandingClockTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;
    private readonly StandingClock clock = new();

    [Fact]
    public void The_wait_for_a_lock_that_is_held_ends()
    {
        using var fileSystem = RealFileSystem.Create();
        using var one = new StoreLock(new StoreFolder(fileSystem, folder), clock);
        using var other = new StoreLock(new StoreFolder(fileSystem, folder), clock);
        using var held = one.Acquire(TimeSpan.FromMinutes(1));

        Assert.Throws<StoreLockTimeoutException>(() => other.Acquire(TimeSpan.FromMilliseconds(1)));
    }

    [Fact]
    public async Task Two_who_append_at_the_same_time_let_each_other_go_on()
    {
        using var one = await OpenAsync();
        using var other = await OpenAsync();

        await Task.WhenAll(AppendAsync(one), AppendAsync(other));

        Assert.Equal(100, await one.GetHeadAsync());
        Assert.Empty((await StoreCheck.RunAsync(folder)).Findings);
    }

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private Task<FileSystemEventStore> OpenAsync() => FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder, TimeProvider = clock });

    private static Task AppendAsync(FileSystemEventStore store) => Task.Run(async () =>
    {
        for (var at = 0; at < 50; at++)
            await store.AppendAsync(Events.New("t"));
    });

    private sealed class StandingClock : TimeProvider
    {
        public override long GetTimestamp() => 0;
    }
}
