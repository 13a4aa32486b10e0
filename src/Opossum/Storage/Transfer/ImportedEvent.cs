using Opossum.Serialization;

namespace Opossum.Storage.Transfer;

/// <summary>An event of an import.</summary>
/// <param name="Content">The event.</param>
/// <param name="TimestampTicks">When it was appended to the store that it comes from.</param>
/// <param name="Line">The number of its line, from 1.</param>
internal sealed record ImportedEvent(PreparedEvent Content, long TimestampTicks, long Line);
