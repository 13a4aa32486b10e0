namespace Opossum;

/// <summary>The phase of a projection.</summary>
public enum ProjectionPhase
{
    /// <summary>The projection was started and has not read its files yet.</summary>
    Starting,

    /// <summary>The states follow the events, kept up to date by this process or another.</summary>
    Running,

    /// <summary>
    /// The states are being built, for the first time or again. Reads return the old states, if there are any, until the build ends.
    /// </summary>
    Rebuilding,

    /// <summary>
    /// The projection has stopped at an event that it cannot apply; see <see cref="ProjectionStatus.Fault"/>. Older states can be read.
    /// </summary>
    Faulted,

    /// <summary>Another process has built the projection in a higher version; this process only reads, and should be updated.</summary>
    Superseded,

    /// <summary>This process does not run the projection, or no longer; another process may.</summary>
    NotRunHere,
}
