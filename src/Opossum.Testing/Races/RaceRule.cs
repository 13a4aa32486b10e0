namespace Opossum.Testing.Races;

/// <summary>A rule over all events: after each append, or at the end.</summary>
internal sealed record RaceRule(string Name, Func<IReadOnlyList<SequencedEvent>, bool> Holds, bool IsAlways);
