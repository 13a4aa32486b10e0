using System.Globalization;
using System.Text.Json;

namespace Opossum.Benchmarks.Contenders;

/// <summary>
/// Makes the events for one contender, one after another, and keeps their digest, for comparison with what is read back.
/// Ten events share an <c>order</c> tag; a <c>machine</c> tag is on about a thousand of the planned number of events.
/// </summary>
internal sealed class EventFeed(int plannedEvents)
{
    public const int EventsPerOrder = 10;
    public const int EventsPerMachine = 1000;

    private readonly int machines = MachinesOf(plannedEvents);
    /// <summary>The number of <c>order</c> tags used in turn. Default: null, a new one for every ten events.</summary>
    public int? Orders { get; init; }

    /// <summary>The number of event types used in turn. Default: 1.</summary>
    public int Types { get; init; } = 1;

    public Digest Digest { get; private set; }

    public static int MachinesOf(int plannedEvents) => Math.Max(1, plannedEvents / EventsPerMachine);

    public static Tag Order(int order) => new("order", order.ToString(CultureInfo.InvariantCulture));

    public static Tag Machine(int machine) => new("machine", machine.ToString(CultureInfo.InvariantCulture));

    /// <summary>The tag of the events that one writer gets at once, by the number of events made before the first of them.</summary>
    public static Tag OrderOfWriter(int eventsBefore) => new("order", string.Create(CultureInfo.InvariantCulture, $"from {eventsBefore}"));

    public static string TypeName(int type) => type == 0 ? "part-moved" : string.Create(CultureInfo.InvariantCulture, $"part-moved-{type}");

    public NewEvent[] Take(int count)
    {
        var events = new NewEvent[count];
        for (var at = 0; at < count; at++)
            events[at] = Next(Order(Orders is { } orders ? Digest.Events % orders : Digest.Events / EventsPerOrder));
        return events;
    }

    /// <summary>Events for several writers; each writer's have an <c>order</c> tag of their own, <see cref="OrderOfWriter"/>.</summary>
    public NewEvent[][] TakeForWriters(int writers, int count)
    {
        var lists = new NewEvent[writers][];
        for (var writer = 0; writer < writers; writer++)
        {
            lists[writer] = new NewEvent[count];
            var order = OrderOfWriter(Digest.Events);
            for (var at = 0; at < count; at++)
                lists[writer][at] = Next(order);
        }
        return lists;
    }

    private NewEvent Next(Tag order)
    {
        var number = Digest.Events;
        var json = JsonSerializer.SerializeToUtf8Bytes(Payload(number), PayloadJson.Default.PartMoved);
        Digest = Digest.With(json);
        return NewEvent.FromJson(TypeName(number % Types), json, [order, Machine(number % machines)]);
    }

    private static PartMoved Payload(int number) => new(
        string.Create(CultureInfo.InvariantCulture, $"p{number / EventsPerOrder}"),
        string.Create(CultureInfo.InvariantCulture, $"A{number % 17}"),
        string.Create(CultureInfo.InvariantCulture, $"B{number % 31}"),
        number % 9,
        string.Create(CultureInfo.InvariantCulture, $"operator {number % 40}"),
        string.Create(CultureInfo.InvariantCulture, $"moved along the line, number {number}"));
}
