namespace Opossum.Projections.Reading;

/// <summary>What a reader thinks of the states that are live.</summary>
/// <param name="Id">Which build they are; null: there are none.</param>
/// <param name="Fits">Whether they are built on the store's events. Not when a power cut, a truncation or a backup has put others in the places of some, until they are built again.</param>
/// <param name="Covered">Every event up to this position counts in them; 0 when they do not fit.</param>
internal readonly record struct LiveJudgement(Guid? Id, bool Fits, long Covered);
