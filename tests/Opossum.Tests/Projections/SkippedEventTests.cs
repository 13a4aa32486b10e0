using Opossum.Testing.Simulated;
using Opossum.Tests.Repair;

namespace Opossum.Tests.Projections;

/// <summary>A skip is one of an event, not one of a position.</summary>
public sealed class SkippedEventTests : IDisposable
{
    private static readonly ProjectionOptions quick = new() { MaxRetryAttempts = 0 };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task Another_event_at_the_position_of_a_skipped_one_counts()
    {
        await using (var first = place.Open())
        {
            await first.AppendAsync([Counted("good")], cancellationToken: Cancellation);
            await first.AppendAsync([Counted("bad")], cancellationToken: Cancellation);
            await using var running = first.StartProjections([new Good()], quick);
            var projection = first.Projections["good"];
            await Assert.ThrowsAsync<ProjectionException>(() => projection.WaitForAsync(2, Cancellation));
            await projection.SkipAsync(2, "a test", cancellationToken: Cancellation);
            await projection.WaitForAsync(2, Cancellation);
        }
        place.CloseStores();
        place.Repair(Remedies.Truncate(1));

        await using var store = place.Open();
        await store.AppendAsync([Counted("good")], cancellationToken: Cancellation);
        await using var again = store.StartProjections([new Good()], quick);
        await store.Projections["good"].WaitForAsync(2, Cancellation);

        Assert.Equal(2, (await store.Projections.Get<Sum>().GetAsync("all", Cancellation))!.Number);
    }

    private static NewEvent Counted(string kind) => NewEvent.FromJson("counted", "{}", new Tag("kind", kind));

    private sealed record Sum(int Number);

    private sealed class Good : Projection<Sum>
    {
        public Good()
            : base("good", 1) => On("counted", static _ => "all", static (sum, e) =>
                e.Tags[0].Value == "bad" ? throw new FormatException("bad") : new Sum((sum?.Number ?? 0) + 1));
    }
}
