namespace Opossum.Projections;

/// <summary>This process no longer leads a projection, or has to take the lead anew.</summary>
internal sealed class LeadershipLostException(string reason) : Exception(reason);
