namespace Opossum.PowerCuts;

/// <summary>The state of a seat: how often it was taken since it was freed last, and which positions count in that, in their order.</summary>
internal sealed record Seat(int Taken, long Trace);
