namespace Opossum.Tests.Decisions;

/// <summary>A store whose appends somebody overtakes: each of the first ones waits until something else has been done.</summary>
internal sealed class OvertakenStore(IEventStore store, Func<Task> overtake, int times = 1) : ForwardingStore(store)
{
    private int left = times;

    public override async Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default)
    {
        if (left-- > 0)
            await overtake();
        return await base.AppendAsync(events, condition, cancellationToken);
    }
}
