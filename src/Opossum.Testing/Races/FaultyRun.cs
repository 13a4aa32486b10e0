namespace Opossum.Testing.Races;

/// <summary>A run with a fault, for the report.</summary>
/// <param name="Order">The decisions in the order of their calls.</param>
/// <param name="Lines">The calls in words.</param>
/// <param name="Events">All events at the end, in words.</param>
internal sealed record FaultyRun(RaceFault Fault, int[] Order, string[] Lines, string[] Events);
