namespace Opossum;

/// <summary>What a projection is doing.</summary>
public enum ProjectionPhase
{
    /// <summary>It was started and has not yet looked at its files.</summary>
    Starting,

    /// <summary>Its states follow the events, by this process or another.</summary>
    Running,

    /// <summary>Its states are being built, for the first time or again. If there are old ones, they are read until then.</summary>
    Rebuilding,

    /// <summary>It has stopped at an event that cannot be applied; <see cref="ProjectionStatus.Fault"/> says which. Older states can be read.</summary>
    Faulted,

    /// <summary>Another process has built it in a higher version; this process only reads, and should be brought up to date.</summary>
    Superseded,

    /// <summary>The runner was disposed.</summary>
    Stopped,
}
