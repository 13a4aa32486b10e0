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

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private static Task WaitAsync(TaskCompletionSource source) =>
        source.Task.WaitAsync(TimeSpan.FromSeconds(15), TestContext.Current.CancellationToken);
}
