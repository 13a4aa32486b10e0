using Opossum.Maintenance;

namespace Opossum.Serialization;

/// <summary>Reads stored events as objects of today's types, and counts what fails.</summary>
internal sealed class EventTypeChecker(EventTypeRegistry types)
{
    private const int PositionsMax = 10;

    private readonly Dictionary<(string EventType, int Version), Tally> tallies = [];
    private readonly List<Tag> declared = [];

    public EventTypeCheckReport Report(long head) => new()
    {
        Head = head,
        Results = [
            .. tallies
                .OrderBy(static entry => entry.Key.EventType, StringComparer.Ordinal)
                .ThenBy(static entry => entry.Key.Version)
                .Select(entry => entry.Value.Result(entry.Key.EventType, entry.Key.Version, types.Find(entry.Key.EventType)?.Version)),
        ],
    };

    public void Count(SequencedEvent e)
    {
        if (!tallies.TryGetValue((e.Type, e.Version), out var tally))
            tallies.Add((e.Type, e.Version), tally = new Tally());
        tally.Events++;
        try
        {
            if (e.Data is { } data && LacksTag(e, data))
                Note(tally.FirstLackingTags, e, ++tally.LackingTags);
        }
        catch (Exception problem) when (problem is EventDataException or PersonalDataException or ArgumentException)
        {
            // A declared tag whose value is not allowed: today this event would be refused.
            tally.Problem ??= problem.Message;
            Note(tally.FirstFailures, e, ++tally.Failures);
        }
    }

    private bool LacksTag(SequencedEvent e, object data)
    {
        declared.Clear();
        types.Find(e.Type)!.DeclaredTags.AddTo(declared, data);
        // A pseudonym is stored as a hash of its value.
        return declared.Exists(tag =>
            tag.IsPseudonym ? !e.Tags.Any(each => each.Key == tag.Key && each.MayBeStoredPseudonym) : !e.Tags.Contains(tag));
    }

    private static void Note(List<long> first, SequencedEvent e, long count)
    {
        if (count <= PositionsMax)
            first.Add(e.Position);
    }

    private sealed class Tally
    {
        public long Events { get; set; }

        public long Failures { get; set; }

        public List<long> FirstFailures { get; } = [];

        public string? Problem { get; set; }

        public long LackingTags { get; set; }

        public List<long> FirstLackingTags { get; } = [];

        public EventTypeCheckResult Result(string eventType, int version, int? registeredVersion) => new()
        {
            EventType = eventType,
            Version = version,
            RegisteredVersion = registeredVersion,
            Events = Events,
            Failures = Failures,
            FirstFailures = FirstFailures,
            Problem = Problem,
            LackingTags = LackingTags,
            FirstLackingTags = FirstLackingTags,
        };
    }
}
