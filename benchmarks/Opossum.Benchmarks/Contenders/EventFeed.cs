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

    /// <summary>The <c>order</c> of an event by the number of events before it. Default: a new one for every ten events.</summary>
    public Func<int, int> OrderOf { get; init; } = static number => number / EventsPerOrder;

    /// <summary>The event type by the number of events before it. Default: one for all.</summary>
    public Func<int, int> TypeOf { get; init; } = static _ => 0;

    /// <summary>The length that the JSON of an event is brought to by its note. Default: null, about 120 bytes.</summary>
    public int? PayloadBytes { get; init; }

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
            events[at] = Next(Order(OrderOf(Digest.Events)));
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
        var payload = Payload(number);
        if (PayloadBytes is { } bytes)
            payload = payload with { Note = new string('n', bytes - Serialize(payload with { Note = "" }).Length) };
        var json = Serialize(payload);
        Digest = Digest.With(json);
        return NewEvent.FromJson(TypeName(TypeOf(number)), json, [order, Machine(number % machines)]);
    }

    private static byte[] Serialize(PartMoved payload) => JsonSerializer.SerializeToUtf8Bytes(payload, PayloadJson.Default.PartMoved);

    private static PartMoved Payload(int number) => new(
        string.Create(CultureInfo.InvariantCulture, $"p{number / EventsPerOrder}"),
        string.Create(CultureInfo.InvariantCulture, $"A{number % 17}"),
        string.Create(CultureInfo.InvariantCulture, $"B{number % 31}"),
        number % 9,
        string.Create(CultureInfo.InvariantCulture, $"operator {number % 40}"),
        string.Create(CultureInfo.InvariantCulture, $"moved along the line, number {number}"));
}
