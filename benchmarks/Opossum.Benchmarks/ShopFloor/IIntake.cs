using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.ShopFloor;

/// <summary>Stores the events that several producers report; each is durable when its task completes.</summary>
internal interface IIntake : IAsyncDisposable
{
    string Name { get; }

    /// <param name="producer">The number of the producer, from 0. Producers report concurrently and continue before their events are durable.</param>
    /// <param name="newEvent">The event.</param>
    Task AppendAsync(int producer, NewEvent newEvent);

    /// <summary>Reads back all stored events.</summary>
    Task<Digest> ReadBackAsync();
}
