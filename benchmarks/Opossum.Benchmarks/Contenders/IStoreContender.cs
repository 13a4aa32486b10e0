namespace Opossum.Benchmarks.Contenders;

/// <summary>A contender that is an event store: it evaluates conditions and finds events.</summary>
internal interface IStoreContender : IContender
{
    /// <summary>Opens it, ready to append and to read, the last position known.</summary>
    Task OpenAsync();

    Task CloseAsync();

    /// <summary>Appends an event, while others may append too.</summary>
    Task AppendOneAsync(NewEvent newEvent);

    /// <summary>
    /// As <see cref="IContender.AppendAloneAsync"/>, each under the condition that no event with its first tag came since the last append.
    /// </summary>
    Task AppendAloneUnderConditionAsync(IReadOnlyList<NewEvent> events);

    /// <summary>
    /// As <see cref="IContender.AppendConcurrentlyAsync"/>, each event under the condition that none with its first tag came since that
    /// writer's last append.
    /// </summary>
    Task AppendConcurrentlyUnderConditionAsync(IReadOnlyList<NewEvent[]> writers);

    /// <summary>Reads the wanted events, or all, in the order of positions: position, type, tags, time, id and payload of each.</summary>
    Task<ReadTotals> ReadAsync(Wanted? wanted, PayloadAs payload, bool backwards = false);
}
