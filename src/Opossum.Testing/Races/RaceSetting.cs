using Opossum.Testing.Given;

namespace Opossum.Testing.Races;

/// <summary>What all runs of a race share.</summary>
internal sealed record RaceSetting(EventTypeRegistry Types, GivenEvents Given, IReadOnlyList<RaceRule> Rules, bool ChecksTags);
