using Opossum.Following;

namespace Opossum.Reactions;

/// <summary>The signals between the callers and the worker of a reaction in one process.</summary>
internal sealed class ReactionSignals : FollowerSignals
{
    /// <summary>How far the reaction is; known while this process leads.</summary>
    public volatile ReactionProgress? Progress;
}
