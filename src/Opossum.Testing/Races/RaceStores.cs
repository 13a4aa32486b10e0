using Opossum.Testing.Given;

namespace Opossum.Testing.Races;

/// <summary>Gives each run a store with the given events. One opened store serves many runs, each with a window of its own.</summary>
internal sealed class RaceStores(RaceSetting setting) : IDisposable
{
    // A store in memory keeps its events, so another one is opened in time.
    private const long EventsMax = 500;

    private readonly StoreClock clock = new(setting.Given.Clock);
    private FileSystemEventStore? store;

    public WindowStore Next(GivenEvents given)
    {
        var start = store?.KnownHead ?? EventsMax;
        if (start >= EventsMax)
        {
            store?.Dispose();
            store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = setting.Types, TimeProvider = clock });
            start = 0;
        }
        var window = new WindowStore(store!, start);
        given.AppendAsync(window, clock, CancellationToken.None).GetAwaiter().GetResult();
        return window;
    }

    public void Dispose() => store?.Dispose();
}
