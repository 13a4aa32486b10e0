namespace Opossum;

/// <summary>The phase of a projection or a reaction.</summary>
public enum FollowerPhase
{
    /// <summary>It was started and has not read its files yet.</summary>
    Starting,

    /// <summary>It follows the events, in this process or another.</summary>
    Running,

    /// <summary>
    /// The states of a projection are being built, for the first time or again. Reads return the old states, if there are any, until the build ends.
    /// </summary>
    Rebuilding,

    /// <summary>
    /// It does nothing until somebody decides: a projection has stopped at an event that it cannot apply, see <see cref="ProjectionStatus.Fault"/>; the
    /// checkpoint of a reaction cannot be read or does not fit the store, see <see cref="ReactionStatus.Halt"/>. Older states can be read.
    /// </summary>
    Halted,

    /// <summary>Another process has built the projection in a higher version; this process only reads, and should be updated.</summary>
    Superseded,

    /// <summary>This process does not run it, or no longer; another process may.</summary>
    NotRunHere,
}
