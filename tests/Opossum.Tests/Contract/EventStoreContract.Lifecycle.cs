using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    [Fact]
    public async Task Disposing_lets_accepted_appends_end_and_refuses_later_calls()
    {
        var accepted = Task.FromResult(default(AppendResult));
        Task disposal = Task.CompletedTask;
        await InOneGroupAsync(() =>
        {
            accepted = store.AppendAsync([New("a"), New("b")]);
            disposal = store.DisposeAsync().AsTask();
            return Task.CompletedTask;
        });
        await disposal;

        Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 2 }, await accepted);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.AppendAsync([New("c")]));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.GetHeadAsync());
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.ReadAllAsync());
        await store.DisposeAsync();
        Assert.Equal(["a", "b"], (await Open().ReadAllAsync()).Select(e => e.Type));
    }

    [Fact]
    public async Task What_is_wrong_with_the_store_comes_with_the_task_and_not_from_the_call()
    {
        await store.DisposeAsync();

        var append = store.AppendAsync([New("a")]);
        var head = store.GetHeadAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => append);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => head);
    }

    [Fact]
    public async Task A_read_under_way_when_the_store_is_disposed_says_so()
    {
        // More than are read ahead, which are most on a share.
        await store.AppendAsync(Many(place.Disk is null ? 100 : 1_100));
        await using var enumerator = store.ReadAsync(Query.All).GetAsyncEnumerator();
        await enumerator.MoveNextAsync();
        await store.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
        {
            while (await enumerator.MoveNextAsync())
            {
            }
        });
    }

    [Fact]
    public async Task An_append_cancelled_before_its_turn_is_not_made()
    {
        using var cancellation = new CancellationTokenSource();
        var token = cancellation.Token;
        await InOneGroupAsync(async () =>
        {
            // The first is what the group begins with, the second waits behind it; both are cancelled while the lock is somebody else's.
            var first = store.AppendAsync([New("a")], cancellationToken: token);
            var second = store.AppendAsync([New("b")], cancellationToken: token);
            var third = store.AppendAsync([New("c")]);
            cancellation.Cancel();

            foreach (var cancelled in new[] { first, second })
                Assert.Equal(token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await cancelled)).CancellationToken);
            Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 1 }, await third);
        });
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await store.AppendAsync([New("d")], cancellationToken: token));

        Assert.Equal(["c"], (await store.ReadAllAsync()).Select(e => e.Type));
    }

    [Fact]
    public async Task A_lock_that_is_not_free_in_time_names_its_holder_and_a_later_append_succeeds()
    {
        var impatient = Open(options => options.LockTimeout = TimeSpan.Zero);
        using (var other = place.OtherLock())
        using (other.Acquire(TimeSpan.FromMinutes(1)))
        {
            var error = ErrorOf<StoreLockTimeoutException>(impatient.AppendAsync([New("a")]));
            Assert.Equal((place.Layout.LockFile, TimeSpan.Zero, true), (error.Path, error.Timeout, error.IsTransient));
            Assert.StartsWith($"process {Environment.ProcessId} (", error.Holder, StringComparison.Ordinal);
            Assert.Contains($" on {Environment.MachineName} since 20", error.Holder, StringComparison.Ordinal);
            Assert.Contains(error.Holder, error.Message, StringComparison.Ordinal);
            Assert.Contains(place.Layout.LockFile, error.Message, StringComparison.Ordinal);
        }
        Assert.Equal(0, await impatient.GetHeadAsync());
        Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 1 }, await impatient.AppendAsync([New("a")]));
    }

    // Waits on this thread: it is the one that has to let go of the lock.
    private static TException ErrorOf<TException>(Task<AppendResult> append)
        where TException : Exception =>
        Assert.Throws<TException>(() => append.GetAwaiter().GetResult());
}
