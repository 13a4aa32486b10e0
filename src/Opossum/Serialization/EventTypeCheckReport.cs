using System.Globalization;

namespace Opossum.Maintenance;

/// <summary>Whether today's event types read the stored events: the result of <see cref="FileSystemEventStore.CheckEventTypesAsync"/>.</summary>
public sealed record EventTypeCheckReport
{
    /// <summary>The head up to which events were read.</summary>
    public required long Head { get; init; }

    /// <summary>A result for each event type and version, by name and version.</summary>
    public required IReadOnlyList<EventTypeCheckResult> Results { get; init; }

    /// <summary>The number of events that were read.</summary>
    public long Events => Results.Sum(static result => result.Events);

    /// <summary>The number of events whose data cannot be read as an object.</summary>
    public long Failures => Results.Sum(static result => result.Failures);

    /// <summary>Whether all events can be read as objects. Events that lack a tag do not count: they can be read.</summary>
    public bool IsClean => Failures == 0;

    /// <summary>The report as text: a line for each type and version with its number of events, and one for each fault.</summary>
    public override string ToString() => string.Join(Environment.NewLine, Lines());

    private IEnumerable<string> Lines()
    {
        yield return string.Create(CultureInfo.InvariantCulture,
            $"{Events:N0} event{(Events == 1 ? "" : "s")} up to position {Head:N0}: "
                + $"{(IsClean ? "all can" : $"{Failures:N0} cannot")} be read as objects");
        foreach (var result in Results)
            yield return result.ToString();
    }
}
