namespace Opossum.Projections.States;

/// <summary>The role of a generation of states.</summary>
internal enum GenerationKind
{
    /// <summary>Readers read it. Of several, they read the one with the highest number.</summary>
    Live,

    /// <summary>It is being built.</summary>
    Rebuild,

    /// <summary>It will be deleted.</summary>
    Old,
}
