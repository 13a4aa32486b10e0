using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.ShopFloor;

/// <summary>Takes in what several producers report, each event durable when its task has ended.</summary>
internal interface IIntake : IAsyncDisposable
{
    string Name { get; }

    /// <param name="producer">Who reports, from 0. Several may do so at the same time, and go on before what they reported is durable.</param>
    /// <param name="newEvent">What.</param>
    Task AppendAsync(int producer, NewEvent newEvent);

    /// <summary>Reads back all that was taken in.</summary>
    Task<Digest> ReadBackAsync();
}
