using Microsoft.Extensions.Logging.Abstractions;
using Opossum.FileSystem;
using Opossum.Storage.Folders;
using Opossum.Storage.Sealing;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Durability;

/// <summary>When an open store seals its older folders.</summary>
public sealed class BackgroundSealingTests
{
    [Fact]
    public async Task Folder_whose_events_had_no_files_when_the_next_one_began_is_sealed_after_a_later_append()
    {
        var clock = new TestClock();
        using var place = StorePlace.On(VolumeKind.Ext4, clock, shardPositions: 4);
        using var client = place.Disk!.Attach();
        var (hasRun, haveFiles, isSealed) = (NewSource(), NewSource(), NewSource());
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Unlock && operation.Path == place.Layout.SealingLockFile)
                hasRun.TrySetResult();
            if (operation.Kind == OperationKind.Unlock && operation.Path == place.Layout.FilesLockFile)
                haveFiles.TrySetResult();
            if (operation.Kind == OperationKind.Move && operation.Path.StartsWith(place.Layout.SealedFile(0), StringComparison.Ordinal))
                isSealed.TrySetResult();
        };
        var store = place.Open(client, static options => (options.UseJournal, options.SealAllButNewestFolders) = (true, 1));
        await store.AppendAsync(Many(4));
        await store.AppendAsync(Many(1));
        await WaitAsync(hasRun);
        // Waits until the run has ended.
        store.SealFolders();
        Assert.False(isSealed.Task.IsCompleted);

        clock.Advance(TimeSpan.FromMinutes(1));
        await WaitAsync(haveFiles);
        await store.AppendAsync(Many(1));

        await WaitAsync(isSealed);
    }

    [Fact]
    public async Task Pauses_between_runs_that_fail_grow()
    {
        var clock = new TestClock();
        using var place = await FillAsync(clock);
        using var client = place.Disk!.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Move && operation.Path.StartsWith(place.Layout.SealedFile(0), StringComparison.Ordinal))
                throw new FileSystemException(FileError.DiskFull, "move", operation.Path, "the disk is full");
        };
        using var sealing = Sealing(client, place, clock);

        Assert.Equal([1, 2, 4, 8, 16, 32, 60, 60], MinutesBetweenRuns(sealing, clock, 8));
        Assert.True(sealing.IsDue(9));
    }

    [Fact]
    public async Task Folder_that_lacks_an_event_file_is_looked_at_again()
    {
        var clock = new TestClock();
        using var place = await FillAsync(clock);
        place.Delete(place.Layout.EventFile(2));
        using var client = place.Disk!.Attach();
        using var sealing = Sealing(client, place, clock);

        Assert.Equal([1, 2], MinutesBetweenRuns(sealing, clock, 2));
    }

    [Fact]
    public async Task Nothing_that_is_left_is_not_looked_at_again()
    {
        var clock = new TestClock();
        using var place = await FillAsync(clock);
        using var client = place.Disk!.Attach();
        using var sealing = Sealing(client, place, clock);

        Assert.Empty(MinutesBetweenRuns(sealing, clock, 1));
        Assert.True(place.Exists(place.Layout.SealedFile(0)));
    }

    // Two folders, of which the first is full.
    private static async Task<StorePlace> FillAsync(TestClock clock)
    {
        var place = StorePlace.On(VolumeKind.Ext4, clock, shardPositions: 4);
        await place.Open().AppendAsync(Many(5));
        place.CloseStores();
        return place;
    }

    private static BackgroundSealing Sealing(SimulatedFileSystem client, StorePlace place, TestClock clock)
    {
        var folder = new StoreFolder(client, place.Layout);
        folder.Read();
        return new BackgroundSealing(folder, 1, clock, NullLogger.Instance);
    }

    private static List<int> MinutesBetweenRuns(BackgroundSealing sealing, TestClock clock, int runs)
    {
        Assert.True(sealing.IsDue(5));
        sealing.Run();
        List<int> pauses = [];
        for (var minutes = 1; minutes <= 60 && pauses.Count < runs; minutes++)
        {
            clock.Advance(TimeSpan.FromMinutes(1));
            if (!sealing.IsDue(5))
                continue;
            sealing.Run();
            pauses.Add(minutes);
            minutes = 0;
        }
        return pauses;
    }

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private static Task WaitAsync(TaskCompletionSource source) =>
        source.Task.WaitAsync(TimeSpan.FromSeconds(15), TestContext.Current.CancellationToken);
}
