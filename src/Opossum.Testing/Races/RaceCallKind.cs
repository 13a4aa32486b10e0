namespace Opossum.Testing.Races;

/// <summary>The kinds of calls in a race.</summary>
internal enum RaceCallKind
{
    Read,
    ReadHead,
    Append,

    /// <summary>A decision model begins: not a call of its own, but the beginning of an attempt.</summary>
    Attempt,
    SideEffect,
}
