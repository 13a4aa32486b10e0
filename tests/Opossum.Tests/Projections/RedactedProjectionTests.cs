using System.Text.Json;
using Opossum.Testing.Simulated;
using Opossum.Tests.Repair;

namespace Opossum.Tests.Projections;

/// <summary>A redaction while a process runs a projection whose states hold what is redacted.</summary>
public sealed class RedactedProjectionTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private static readonly ProjectionOptions quick =
        new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(1), MaxRetryAttempts = 0 };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    public void Dispose() => place.Dispose();

    [Fact(Timeout = HangMilliseconds)]
    public async Task The_text_is_gone_from_the_states_when_they_are_built_again()
    {
        await PersonalStore.CreateAsync(place);
        var store = place.Open();
        await using var running = store.StartProjections([new Customers()], quick);
        await store.Projections.Get<Customer>().WaitForAsync(6, TestContext.Current.CancellationToken);
        Assert.NotEmpty(PersonalStore.WhereItIs(place, place.Layout.Projections));

        var report = place.Repair(Remedies.Redact(place.Clock, PersonalStore.Positions, PersonalStore.Members));

        Assert.Equal(["customers"], report.Projections);
        Assert.Contains("old states are gone when the process that runs them has done it: customers.", report.ToString(), StringComparison.Ordinal);
        // Old generations are removed between events.
        while (PersonalStore.WhereItIs(place).Count > 0)
        {
            var position = (await store.AppendAsync([Events.New("opened", "customer:c9")])).LastPosition;
            await store.Projections.Get<Customer>().WaitForAsync(position, TestContext.Current.CancellationToken);
        }
        Assert.Equal(new Customer(null), await store.Projections.Get<Customer>().GetAsync("c1", TestContext.Current.CancellationToken));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task The_text_is_gone_from_a_higher_version_too_that_was_not_completed()
    {
        await PersonalStore.CreateAsync(place);
        var store = place.Open();
        await using (store.StartProjections([new Customers()], quick))
            await store.Projections.Get<Customer>().WaitForAsync(6, TestContext.Current.CancellationToken);
        await using (store.StartProjections([new Customers(version: 2, failing: 6)], quick))
        {
            var higher = store.Projections["customers"];
            while ((await higher.GetStatusAsync(TestContext.Current.CancellationToken)).Phase != FollowerPhase.Halted)
                await Task.Yield();
        }

        await using var former = store.StartProjections([new Customers()], quick);
        await store.Projections.Get<Customer>().WaitForAsync(6, TestContext.Current.CancellationToken);
        place.Repair(Remedies.Redact(place.Clock, PersonalStore.Positions, PersonalStore.Members));

        while (PersonalStore.WhereItIs(place).Count > 0)
        {
            var position = (await store.AppendAsync([Events.New("opened", "customer:c9")])).LastPosition;
            await store.Projections.Get<Customer>().WaitForAsync(position, TestContext.Current.CancellationToken);
        }
        var left = await store.Projections.Get<Customer>().GetAsync("c1", TestContext.Current.CancellationToken);
        Assert.Equal(new Customer(null), left);
    }

    private sealed record Customer(string? Email);

    private sealed class Customers : Projection<Customer>
    {
        public Customers(int version = 1, long failing = 0)
            : base("customers", version) =>
            On("customer-registered", static e => e.Tags.Select(static tag => tag.Value),
                (_, e) => e.Position == failing ? throw new FormatException("This one has no address.")
                    : new Customer(JsonElement.Parse(e.Json.Span).GetProperty("email").GetString()));
    }
}
