namespace Opossum.Projections;

/// <summary>The generation that a reader has found.</summary>
/// <param name="Generation">Where it is.</param>
/// <param name="Model">What it is.</param>
/// <param name="Tags">Its index, filled when it is needed.</param>
internal sealed record LiveGeneration(Generation Generation, GenerationModel Model, TagIndex Tags);
