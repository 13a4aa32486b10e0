namespace Opossum.Tests.Decisions;

/// <summary>What tests of decisions need: a store in a folder, opened by two processes, a clock to put forward, and racers.</summary>
public abstract class DecisionTests : IDisposable
{
    private readonly StorePlace place = StorePlace.InFolder();
    private readonly Type[] eventTypes;

    private protected DecisionTests(params Type[] eventTypes)
    {
        this.eventTypes = eventTypes;
        Store = Open();
        Other = Open();
    }

    /// <summary>The store.</summary>
    protected FileSystemEventStore Store { get; }

    /// <summary>The store as another process has it.</summary>
    protected FileSystemEventStore Other { get; }

    private protected SetClock Clock { get; } = new();

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

    protected async Task GivenAsync(params object[] data)
    {
        foreach (var each in data)
            await Store.AppendAsync(new NewEvent(each));
    }

    /// <summary>What the store holds, as data.</summary>
    protected async Task<object?[]> StoredAsync() => [.. (await Store.ReadAllAsync()).Select(e => e.Data)];

    /// <summary>Two read at the same moment; the winner appends first, and the loser, who decided on the same state, is refused.</summary>
    protected async Task AssertOnlyOneAppendsAsync<TWinner, TLoser>(
        bool twoProcesses, DecisionProjection<TWinner> winnersProjection, object winnersEvent, DecisionProjection<TLoser> losersProjection,
        object losersEvent)
    {
        var losersStore = twoProcesses ? Other : Store;
        var winner = await Store.BuildDecisionModelAsync(winnersProjection);
        var loser = await losersStore.BuildDecisionModelAsync(losersProjection);

        var won = await Store.AppendAsync(new NewEvent(winnersEvent), winner.AppendCondition);
        var conflict =
            await Assert.ThrowsAsync<AppendConditionFailedException>(async () => await losersStore.AppendAsync(new NewEvent(losersEvent),
                loser.AppendCondition));

        Assert.Equal(won.FirstPosition, conflict.ConflictingPosition);
        Assert.Equal(won.LastPosition, await Store.GetHeadAsync());
    }

    /// <summary>The store for the slower of two racers: when its first append begins, the faster one's decision has come in between.</summary>
    protected IEventStore Overtaken(bool twoProcesses, Func<IEventStore, Task> faster) =>
        new OvertakenStore(twoProcesses ? Other : Store, () => faster(Store));

    private FileSystemEventStore Open() => place.Open(options =>
    {
        options.TimeProvider = Clock;
        foreach (var type in eventTypes)
            options.EventTypes.Add(type);
    });
}
