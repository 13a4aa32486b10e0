namespace Opossum;

/// <summary>An event that a reaction appends when its time has come, without its data; see <see cref="ReactionContext.ScheduleAsync"/>.</summary>
public sealed record ScheduledEvent
{
    /// <summary>The name of the file that holds it, in the folder <c>due</c> of the reaction. The names are in the order of the times.</summary>
    public required string Name { get; init; }

    /// <summary>The time at which it is due.</summary>
    public required DateTimeOffset When { get; init; }

    /// <summary>The event's type; empty when the file is damaged.</summary>
    public string Type { get; init; } = "";

    /// <summary>The event's tags.</summary>
    public IReadOnlyList<Tag> Tags { get; init; } = [];

    /// <summary>The position of the event whose handler has scheduled it; 0 when the file is damaged.</summary>
    public long ScheduledBy { get; init; }

    /// <summary>Whether an event that occurs meanwhile can cancel it.</summary>
    public bool IsConditional { get; init; }

    /// <summary>What is wrong with the file, because of which the event is not appended; null when nothing is.</summary>
    public string? Problem { get; init; }
}
