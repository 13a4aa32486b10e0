namespace Opossum.Storage.Opening;

/// <summary>Events whose files are written, or flushed, together.</summary>
/// <param name="HasLines">Whether the events have lines and may have no files. If not, the files are there, and not flushed.</param>
internal sealed record FilesPart(long First, long Last, bool HasLines);
