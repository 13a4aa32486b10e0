namespace Opossum.Testing.Simulated;

/// <summary>A clock that a pause on the simulated disk moves, so that the pause takes no real time.</summary>
internal interface ISteppedClock
{
    /// <summary>Moves the clock forward.</summary>
    void Advance(TimeSpan time);
}
