namespace Opossum.Following;

/// <summary>This process no longer leads a projection or a reaction, or must take the lead again.</summary>
internal sealed class LeadershipLostException(string reason) : Exception(reason);
