namespace Opossum.Benchmarks.Contenders;

/// <summary>One way to keep events in a folder. Unless it was made not to flush, what was appended is durable when the append returns.</summary>
internal interface IContender : IAsyncDisposable
{
    /// <summary>Its name in tables, one of <see cref="ContenderName"/>.</summary>
    string Name { get; }

    /// <summary>Appends the events one after another, each durable before the next.</summary>
    Task AppendAloneAsync(IReadOnlyList<NewEvent> events);

    /// <summary>Appends all the events as one.</summary>
    Task AppendTogetherAsync(IReadOnlyList<NewEvent> events);

    /// <summary>Appends the events of all writers, who write at the same time, each one event after another.</summary>
    Task AppendConcurrentlyAsync(IReadOnlyList<NewEvent[]> writers);

    /// <summary>Reads back everything that was appended.</summary>
    Task<Digest> ReadBackAsync();
}
