namespace Opossum.Projections.States;

/// <summary>What a generation of states is for.</summary>
internal enum GenerationKind
{
    /// <summary>It is read. Of several, the one with the highest number.</summary>
    Live,

    /// <summary>It is being built.</summary>
    Rebuild,

    /// <summary>It is to be deleted.</summary>
    Old,
}
