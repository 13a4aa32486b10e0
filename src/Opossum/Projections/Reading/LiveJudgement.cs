namespace Opossum.Projections.Reading;

/// <summary>A reader's judgement of the live states.</summary>
/// <param name="Id">The id of their build; null: there are no live states.</param>
/// <param name="Fits">
/// Whether they are built on the store's events. False after a power cut, a truncation or a backup has replaced some of these events, until the
/// states are rebuilt.
/// </param>
/// <param name="Covered">The position up to which every event is applied to them; 0 if they do not fit.</param>
internal readonly record struct LiveJudgement(Guid? Id, bool Fits, long Covered);
