namespace Opossum;

/// <summary>The phase of a reaction.</summary>
public enum ReactionPhase
{
    /// <summary>The reaction was started and has not read its files yet.</summary>
    Starting,

    /// <summary>Events are handled, by this process or another.</summary>
    Running,

    /// <summary>
    /// The reaction handles nothing until <see cref="ReactionRunner.HandleAgainAsync"/> says from where it goes on, because its checkpoint does not fit
    /// the store or cannot be read; see <see cref="ReactionStatus.Halt"/>.
    /// </summary>
    Halted,

    /// <summary>The runner was disposed.</summary>
    Stopped,
}
