using Opossum.Serialization;

namespace Opossum.Storage.Commit;

/// <summary>An append that was made in another store and is stored in this one with its time.</summary>
/// <param name="Condition">The condition that the first of them keeps; null: none.</param>
internal sealed record RecordedAppend(PreparedEvent[] Events, long TimestampTicks, long First, KeptCondition? Condition);
