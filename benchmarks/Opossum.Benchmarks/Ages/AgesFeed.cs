using System.Globalization;
using System.Text;

namespace Opossum.Benchmarks.Ages;

/// <summary>
/// The events of the large stores: each belongs to an order of ten events, to a machine of a thousand events, and to the one plant. The events
/// of an order and of a machine are spread over the whole store, so a query finds each of its events elsewhere.
/// </summary>
/// <param name="events">The number of events.</param>
/// <param name="begin">The time in the first event's id; later ones have ten of each millisecond. Null: the time at which they are made.</param>
internal sealed class AgesFeed(int events, DateTimeOffset? begin = null)
{
    private const int IdsPerMillisecond = 10;

    public const int EventsPerOrder = 10, EventsPerMachine = 1_000, OnceEach = 100;

    public static Tag Plant { get; } = new("plant", "north");

    public int Events => events;

    public int Orders => events / EventsPerOrder;

    public int Machines => events / EventsPerMachine;

    public Tag Order(int number) => Named("order", number % Orders);

    public Tag Machine(int number) => Named("machine", number % Machines);

    /// <summary>The tag of a single event: each hundredth event has one.</summary>
    /// <param name="number">The number of the event in hundreds, from the start again after the last one.</param>
    public Tag Once(int number) => Named("once", number % (events / OnceEach) * OnceEach);

    public NewEvent Event(int number)
    {
        List<Tag> tags = [Named("order", number % Orders), Named("machine", number % Machines), Plant];
        if (number % OnceEach == 0)
            tags.Add(Named("once", number));
        var made = NewEvent.FromJson($"part-moved-{number % 5}", Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture,
            $$"""{"part":"p{{number}}","from":"A{{number % 17}}","to":"B{{number % 31}}","quantity":{{number % 9}},"by":"operator {{number % 40}}"}""")),
            [.. tags]);
        return begin is { } first
            ? made with { Id = Guid.CreateVersion7(first.AddMilliseconds(number / IdsPerMillisecond)) }
            : made;
    }

    private static Tag Named(string key, int number) => new(key, number.ToString(CultureInfo.InvariantCulture));
}
