using Opossum.Testing;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Contract;

/// <summary>The published rules of a store: each finds its mistake, and no other rule does.</summary>
public sealed class ConformanceTests
{
    // Of the other rules a usual run draws some for each mistake, and the long half has all.
    private const int OthersUsually = 10;

    public static TheoryData<string> Mistakes => [.. WrongStores.All.Keys];

    [Fact]
    public void Each_rule_has_an_id_of_its_own_and_a_mistake()
    {
        var ids = EventStoreConformance.Rules.Select(static rule => rule.Id).ToList();

        Assert.Equal(ids.Distinct(), ids);
        Assert.Equal(ids, WrongStores.All.Keys.Select(RuleOf).Distinct());
    }

    [Theory]
    [MemberData(nameof(Mistakes))]
    public async Task A_store_with_a_mistake_breaks_the_rule_and_no_other_one(string mistake)
    {
        var id = RuleOf(mistake);
        var others = EventStoreConformance.Rules.Where(rule => rule.Id != id).ToArray();
        new Random(Seed.Choose(TestContext.Current.TestOutputHelper!)).Shuffle(others);
        var broken = new List<string>();
        foreach (var rule in others.Take(LongTests.Number(OthersUsually, others.Length))
            .Append(EventStoreConformance.Rules.Single(rule => rule.Id == id)))
        {
            using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
            await using var stores = WrongStores.All[mistake].Make(StoresAt(place));
            try
            {
                await rule.CheckAsync(stores);
            }
            catch (TestFailedException e)
            {
                Assert.StartsWith($"The store breaks the rule {rule.Id}: {rule.What}", e.Message,
                    StringComparison.Ordinal);
                broken.Add(rule.Id);
            }
        }
        Assert.True(broken is [var only] && only == id,
            $"A store that {WrongStores.All[mistake].Mistake} breaks {id}, but broke: {string.Join(", ", broken)}");
    }

    [Fact]
    public async Task One_opening_of_a_store_is_checked_for_what_it_can_do()
    {
        var left = await EventStoreConformance.RunAsync(() => InMemoryEventStore.Open());

        Assert.Equal(["another-reads", "another-condition", "another-subscription", "reopened", "power-cut"],
            left.Select(static rule => rule.Id));
        await using var store = new ConformanceStore(InMemoryEventStore.Open());
        await Assert.ThrowsAsync<NotSupportedException>(() => left[0].CheckAsync(store));
    }

    [Fact]
    public async Task A_run_names_each_rule_that_is_broken()
    {
        await using var used = InMemoryEventStore.Open();
        await used.AppendAsync([Events.New("a")]);

        var error = await Assert.ThrowsAsync<TestFailedException>(() =>
            EventStoreConformance.RunAsync(() => new WrongStore(used)));
        Assert.Contains("the events of the store before the rule begins", error.Message, StringComparison.Ordinal);
        error = await Assert.ThrowsAsync<TestFailedException>(() => EventStoreConformance.RunAsync(() =>
            new WrongStore(InMemoryEventStore.Open()) { Head = static head => head + 1 }));
        Assert.StartsWith("The store breaks the rule head: The head is the position of the last event, 0 in an empty store. (IEventStore)\n",
            error.Message, StringComparison.Ordinal);
        Assert.Contains("expected: 0\nactual:   1", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_rule_ends_on_a_store_that_never_reads_what_is_appended()
    {
        var rule = EventStoreConformance.Rules.Single(static rule => rule.Id == "race-whole-appends");
        await using var stores = new ConformanceStore(new WrongStore(InMemoryEventStore.Open())
        {
            Give = static (_, _, _, events) => events.Take(0),
        });

        var error = await Assert.ThrowsAsync<TestFailedException>(() =>
            Task.Run(() => rule.CheckAsync(stores)).WaitAsync(TimeSpan.FromSeconds(10)));
        Assert.Contains("expected: 45\nactual:   0", error.Message, StringComparison.Ordinal);
    }

    private static string RuleOf(string mistake) => mistake.Split(':')[0];

    private static ConformanceStore StoresAt(StorePlace place) => new(place.Open())
    {
        OpenAnother = () => Task.FromResult<IEventStore>(place.Open(static options =>
            options.Advanced.SubscriptionPollInterval = TimeSpan.FromMilliseconds(1))),
        OpenAfterPowerCut = () => new IEventStore[]
        {
            StorePlace.On(place.Disk!.AfterPowerCut(PowerCut.Each(seeds: 1).First())).Open(),
        }.ToAsyncEnumerable(),
    };
}
