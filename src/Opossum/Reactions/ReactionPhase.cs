namespace Opossum;

/// <summary>The phase of a reaction.</summary>
public enum ReactionPhase
{
    /// <summary>The reaction was started and has not read its files yet.</summary>
    Starting,

    /// <summary>Events are handled, by this process or another.</summary>
    Running,

    /// <summary>
    /// The reaction handles nothing until <see cref="ReactionHandle.HandleAgainAsync"/> says from where it continues, because its checkpoint does not fit
    /// the store or cannot be read; see <see cref="ReactionStatus.Halt"/>.
    /// </summary>
    Halted,

    /// <summary>This process does not run the reaction, or no longer; another process may.</summary>
    NotRunHere,
}
