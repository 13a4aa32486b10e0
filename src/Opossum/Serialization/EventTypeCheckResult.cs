namespace Opossum.Maintenance;

/// <summary>Whether today's event types read the stored events of one type and version.</summary>
public sealed record EventTypeCheckResult
{
    /// <summary>The type's name, as stored.</summary>
    public required string EventType { get; init; }

    /// <summary>The version of the JSON shape, as stored.</summary>
    public required int Version { get; init; }

    /// <summary>The version of the registered CLR type, to which the JSON is upcast; null: no CLR type is registered under the name.</summary>
    public required int? RegisteredVersion { get; init; }

    /// <summary>The number of stored events of this type and version.</summary>
    public required long Events { get; init; }

    /// <summary>The number of events whose <see cref="SequencedEvent.Data"/> throws.</summary>
    public required long Failures { get; init; }

    /// <summary>The positions of the first such events, at most 10.</summary>
    public required IReadOnlyList<long> FirstFailures { get; init; }

    /// <summary>What is wrong with the first such event, and what to do; null when there is none.</summary>
    public required string? Problem { get; init; }

    /// <summary>
    /// The number of events that lack a tag which <see cref="TagAttribute"/> would give them today, because the attribute was added or changed
    /// after they were appended. Queries by that tag do not find them.
    /// </summary>
    public required long LackingTags { get; init; }

    /// <summary>The positions of the first such events, at most 10.</summary>
    public required IReadOnlyList<long> FirstLackingTags { get; init; }

    /// <summary>Whether all of these events can be read as objects.</summary>
    public bool IsClean => Failures == 0;

    /// <summary>The result as text: one line, and a further one for each fault.</summary>
    public override string ToString()
    {
        var registered = RegisteredVersion is { } version ? version == Version ? "" : Say($", read as version {version}") : ", not registered";
        var text = Say($"{EventType}, version {Version}{registered}: {Events:N0} event{(Events == 1 ? "" : "s")}");
        if (Failures > 0)
            text += Environment.NewLine + Say($"  {Failures} cannot be read, first at {Join(FirstFailures)}: {Problem}");
        if (LackingTags > 0)
        {
            text += Environment.NewLine
                + Say($"  {LackingTags} lack a tag that the class declares today, so queries by it do not find them; first at ")
                + Join(FirstLackingTags);
        }

        return text;
    }

    private static string Join(IReadOnlyList<long> positions) => string.Join(", ", positions.Select(static each => Say($"{each}")));

    private static string Say(FormattableString text) => FormattableString.Invariant(text);
}
