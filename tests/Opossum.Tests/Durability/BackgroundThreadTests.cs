using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Durability;

/// <summary>
/// What waits for the disk in the background keeps no thread of the pool, which has two on a machine with two processors: the app needs them.
/// </summary>
public sealed class BackgroundThreadTests
{
    private const int HangMilliseconds = 60_000;

    [Fact(Timeout = HangMilliseconds)]
    public Task The_files_of_lines_take_no_thread_of_the_pool() => IsOffThePoolAsync(static (place, operation) =>
        operation.Kind == OperationKind.CreateNew && operation.Path.StartsWith(place.Layout.Events, StringComparison.Ordinal),
        static options => options.UseJournal = true);

    [Fact(Timeout = HangMilliseconds)]
    public Task Files_that_are_flushed_later_take_no_thread_of_the_pool() => IsOffThePoolAsync(static (place, operation) =>
        operation.Kind is OperationKind.Flush or OperationKind.FlushWhole or OperationKind.FlushFolder
        && operation.Path.StartsWith(place.Layout.Events, StringComparison.Ordinal),
        static options => options.FlushEventsImmediately = false);

    [Fact(Timeout = HangMilliseconds)]
    public Task Parts_of_the_index_take_no_thread_of_the_pool() => IsOffThePoolAsync(static (_, operation) =>
        operation.Path.EndsWith(StoreLayout.RunFileEnding + StoreLayout.StagingEnding, StringComparison.Ordinal));

    [Fact(Timeout = HangMilliseconds)]
    public Task Sealing_takes_no_thread_of_the_pool() => IsOffThePoolAsync(static (_, operation) =>
        operation.Path.Contains(StoreLayout.SealedFileEnding, StringComparison.Ordinal)
        && operation.Path.EndsWith(StoreLayout.StagingEnding, StringComparison.Ordinal),
        static options => options.SealAllButNewestFolders = 1);

    private static async Task IsOffThePoolAsync(Func<StorePlace, SimulatedOperation, bool> isOfTheWork, Action<OpossumOptions>? configure = null)
    {
        using var place = StorePlace.On(VolumeKind.Posix, TimeProvider.System, shardPositions: 8);
        place.Runs = new RunSettings { Length = 4, Fan = 2, LengthMax = 16 };
        place.FilesBehind = new FilesBehindSettings { FilledAhead = 8 * 1024, AtOnceMax = 8 };
        var isOnPool = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var client = place.Disk!.Attach();
        client.BeforeOperation = operation =>
        {
            if (isOfTheWork(place, operation))
                isOnPool.TrySetResult(Thread.CurrentThread.IsThreadPoolThread);
        };
        var store = place.Open(client, configure);
        for (var appends = 0; appends < 12; appends++)
            await store.AppendAsync(Many(4));

        Assert.False(await isOnPool.Task);
    }
}
