using Opossum.Serialization;

namespace Opossum.Storage.Transfer;

/// <summary>An event of an import.</summary>
/// <param name="Line">The number of its line, from 1.</param>
/// <param name="Source">
/// The number of its export among those in the input, from 1. Positions increase in an export, so lines of one are different events, also with one
/// id; those of two may be the same.
/// </param>
internal sealed record ImportedEvent(StoredEvent Stored, long Line, int Source)
{
    public PreparedEvent Content => Stored.Content;

    public long TimestampTicks => Stored.TimestampTicks;
}
