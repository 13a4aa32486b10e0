using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Subscriptions;

public sealed class SubscriptionPowerCutTests
{
    public static TheoryData<string> Kinds => [.. Enum.GetNames<VolumeKind>()];

    // Before each file operation of the writer the subscriber of another process takes all that it can get, and the power is cut.
    [Theory(Timeout = 60_000)]
    [MemberData(nameof(Kinds))]
    public async Task No_power_cut_takes_back_an_event_that_a_subscriber_was_given(string kind)
    {
        var clock = new HandDrivenClock();
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind), clock);
        using var client = place.Disk!.Attach();
        var writer = place.Open(client);
        var reader = place.Open();
        var given = new List<Guid>();
        var (cuts, operations) = (0, 0);
        var subscription = reader.SubscribeAsync(Query.All).GetAsyncEnumerator();
        var next = subscription.MoveNextAsync().AsTask();
        client.BeforeOperation = _ =>
        {
            try
            {
                TakeWhatIsThere();
                // A usual run cuts the power at some of the operations, other ones each time.
                var oneOf = Cases.Number(usually: 4, all: 1);
                if (++operations % oneOf != Seed.Value % oneOf)
                    return;
                foreach (var cut in (PowerCut[])[new(PowerCutMode.LosesAll), new(PowerCutMode.LosesBytes), new(PowerCutMode.Tears, ++cuts)])
                    Assert.Equal(given, IdsAfter(cut).Take(given.Count));
            }
            catch
            {
                // The append fails with this; what the store does to end it is not to fail as well.
                client.BeforeOperation = null;
                throw;
            }
        };

        for (var append = 0; append < 4; append++)
            await Task.WhenAll(writer.AppendAsync([New("a"), New("b"), New("c")]), writer.AppendAsync([New("d")]));
        client.BeforeOperation = null;
        TakeWhatIsThere();

        Assert.Equal(16, given.Count);
        Assert.True(operations > 40, $"{operations} operations only");
        await reader.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => next);

        void TakeWhatIsThere()
        {
            var head = Wait(reader.GetHeadAsync());
            for (; given.Count < head; next = subscription.MoveNextAsync().AsTask())
            {
                SpinWait.SpinUntil(() =>
                {
                    clock.Advance(TimeSpan.FromSeconds(1));
                    return next.IsCompleted;
                });
                Assert.True(Wait(next));
                given.Add(subscription.Current.Id);
            }
        }

        // The writer's operation has to wait, so its thread does.
        static T Wait<T>(Task<T> task) => task.GetAwaiter().GetResult();

        IEnumerable<Guid> IdsAfter(PowerCut cut)
        {
            using var after = StorePlace.On(place.Disk.AfterPowerCut(cut));
            // The clock stands still while a store is being opened.
            return Wait(after.Open(options => options.Advanced.RecoveryPatience = TimeSpan.Zero).ReadAllAsync()).Select(e => e.Id);
        }
    }
}
