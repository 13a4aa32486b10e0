using Opossum.Testing;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Contract;

/// <summary>
/// What every store promises, wherever it lies: the rules of <see cref="EventStoreConformance"/>, and what a store in files adds to them.
/// </summary>
/// <remarks>The clock is the system's, so that whoever waits for the lock gets it when it is free.</remarks>
public abstract partial class EventStoreContract : IDisposable
{
    private readonly StorePlace place;
    private readonly bool flush;
    private readonly bool useJournal;
    private readonly bool readByAnother;
    private readonly bool keepConditions;
    private readonly FileSystemEventStore store;

    private protected EventStoreContract(StorePlace place, bool flush = true, bool useJournal = false, bool readByAnother = false,
        bool keepConditions = false)
    {
        this.keepConditions = keepConditions;
        this.readByAnother = readByAnother;
        this.useJournal = useJournal;
        this.place = place;
        this.flush = flush;
        store = Open();
    }

    public static TheoryData<string> Rules => [.. EventStoreConformance.Rules.Select(static rule => rule.Id)];

    // An event that never comes would be waited for without end.
    [Theory(Timeout = HangMilliseconds)]
    [MemberData(nameof(Rules))]
    public async Task The_store_keeps_the_rule(string id)
    {
        // Many appends, each flushed to the disk.
        LongTests.SkipUnless(id != "race-whole-appends" || place.Disk is not null || !flush);
        var rule = EventStoreConformance.Rules.Single(rule => rule.Id == id);
        var isChecked = false;
        Assert.Null(await Record.ExceptionAsync(async () => isChecked = await CheckAsync(rule)));
        Assert.SkipUnless(isChecked, "There is no power to cut.");
    }

    /// <summary>Checks a rule, if the store can do what it needs.</summary>
    internal async Task<bool> CheckAsync(ConformanceRule rule)
    {
        var stores = new ConformanceStore(Wrap(store))
        {
            OpenAnother = () => Task.FromResult(Wrap(Open(static options =>
                options.Advanced.SubscriptionPollInterval = TimeSpan.FromMilliseconds(1)))),
            OpenAfterPowerCut = place.Disk is null || !flush ? null : () => AfterPowerCuts(place.Disk).ToAsyncEnumerable(),
        };
        if (!rule.CanCheck(stores))
            return false;
        await rule.CheckAsync(stores);
        return true;
    }

    public void Dispose()
    {
        try
        {
            place.CloseStores();
            place.AssertClean();
        }
        finally
        {
            place.Dispose();
        }
        GC.SuppressFinalize(this);
    }

    private IEventStore Wrap(FileSystemEventStore opened) => !readByAnother ? opened : new ReadByAnotherStore(opened, Open(static options =>
    {
        options.ReadOnly = true;
        options.Advanced.SubscriptionPollInterval = TimeSpan.FromMilliseconds(1);
    }));

    private static IEnumerable<IEventStore> AfterPowerCuts(SimulatedDisk disk)
    {
        foreach (var cut in PowerCut.Each(seeds: 5))
        {
            using var after = StorePlace.On(disk.AfterPowerCut(cut));
            yield return after.Open();
            after.AssertClean();
        }
    }

    private FileSystemEventStore Open(Action<OpossumOptions>? configure = null) => place.Open(options =>
    {
        options.FlushEventsImmediately = flush;
        options.UseJournal = useJournal;
        options.KeepConditions = keepConditions;
        configure?.Invoke(options);
    });

    // While another process holds the lock, appends queue: when it lets go, they are one group.
    private async Task InOneGroupAsync(Func<Task> enqueue)
    {
        Task appends;
        using (var other = place.OtherLock())
        using (other.Acquire(TimeSpan.FromMinutes(1)))
            appends = enqueue();
        await appends;
    }

    private static async Task<AppendConditionFailedException> RefusalAsync(Task<AppendResult> append) =>
        await Assert.ThrowsAsync<AppendConditionFailedException>(async () => await append);
}
