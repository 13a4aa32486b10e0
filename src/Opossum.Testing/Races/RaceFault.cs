namespace Opossum.Testing.Races;

/// <summary>What is wrong with a run.</summary>
/// <param name="Key">Equal for faults of one kind, such as one broken rule.</param>
/// <param name="Text">What is wrong, as the beginning of the report.</param>
/// <param name="CanShrink">
/// Whether it is the same fault without some of the decisions and given events. A rule for the end may need all of them.
/// </param>
internal sealed record RaceFault(string Key, string Text, bool CanShrink);
