namespace Opossum.Maintenance;

/// <summary>The kinds of <see cref="ProofDifference"/>.</summary>
public enum ProofDifferenceKind
{
    /// <summary>The event is not the one that was stored, or its file is no event file.</summary>
    Changed,

    /// <summary>The event is missing, and later ones are there.</summary>
    Missing,

    /// <summary>All events from the position on are missing.</summary>
    CutOff,

    /// <summary>The file holds the event of another position.</summary>
    Moved,

    /// <summary>An event was inserted, and the later ones were numbered again.</summary>
    Inserted,

    /// <summary>An event was removed, and the later ones were numbered again.</summary>
    Removed,

    /// <summary>Events in the range differ; the tiles that would name the first one are missing or were rewritten too.</summary>
    Rewritten,
}
