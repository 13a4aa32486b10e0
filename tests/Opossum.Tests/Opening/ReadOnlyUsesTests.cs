using Opossum.Testing.Simulated;
using Opossum.Tests.Subscriptions;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>What is built on a store, on one that is open for reading only: it works, or says what to do.</summary>
public sealed class ReadOnlyUsesTests : IDisposable
{
    // An event that never comes would be waited for without end.
    private const int HangMilliseconds = 60_000;

    private static readonly DecisionProjection<int> count = DecisionProjection.Create(0, new Tag("k", "1")).On("t", (number, _) => number + 1);

    private readonly HandDrivenClock clock = new();
    private readonly StorePlace place;

    public ReadOnlyUsesTests() => place = StorePlace.On(VolumeKind.Ext4, clock);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Theory(Timeout = HangMilliseconds)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_subscription_catches_up_and_then_follows_a_writer(bool hasIndex)
    {
        var reader = await FillAsync(hasIndex);
        await using var subscription = reader.SubscribeAsync(Tagged("k:1"), cancellationToken: Cancellation).GetAsyncEnumerator(Cancellation);
        foreach (var position in (int[])[1, 2])
        {
            Assert.True(await subscription.MoveNextAsync());
            Assert.Equal(position, subscription.Current.Position);
        }
        var writer = place.Open();
        for (var position = 4; position <= 8; position++)
        {
            var next = subscription.MoveNextAsync().AsTask();
            await clock.UntilTimerIsSetAsync();
            await writer.AppendAsync([New("t", "k:1")], cancellationToken: Cancellation);
            Assert.False(next.IsCompleted);
            // An index that was not there is looked for once a second.
            while (!next.IsCompleted)
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                await Task.WhenAny(next, clock.UntilTimerIsSetAsync());
            }
            Assert.True(await next);
            Assert.Equal(position, subscription.Current.Position);
        }
    }

    [Fact]
    public async Task A_decision_is_made_on_the_state_and_only_its_events_are_refused()
    {
        var reader = await FillAsync();

        Assert.Equal(2, (await reader.BuildDecisionModelAsync(count, Cancellation)).State);
        Assert.Equal(new DecisionResult<int> { State = 2, Appended = null }, await reader.ExecuteDecisionAsync(count, _ => [], cancellationToken: Cancellation));
        var decisions = new List<int>();
        var error = await Assert.ThrowsAsync<NotSupportedException>(async () => await reader.ExecuteDecisionAsync(count, number =>
        {
            decisions.Add(number);
            return [New("t", "k:1")];
        }, cancellationToken: Cancellation));

        Assert.Equal([2], decisions);
        Assert.Equal($"The store in {place.Root} is open for reading only. To append, open it with OpossumOptions.ReadOnly = false.", error.Message);
    }

    private async Task<FileSystemEventStore> FillAsync(bool hasIndex = true)
    {
        await place.Open().AppendAsync([New("t", "k:1"), New("t", "k:1"), New("t")], cancellationToken: Cancellation);
        place.CloseStores();
        if (!hasIndex)
        {
            place.Delete(place.Layout.IndexFile);
            place.Delete(place.Layout.Segment(0));
        }
        return place.Open(options => options.ReadOnly = true);
    }
}
