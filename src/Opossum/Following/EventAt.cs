namespace Opossum.Following;

/// <summary>
/// An event by its position and its id. The id shows whether the store still has that event at the position: a power cut, a truncation or a backup
/// may have replaced the events that states were built on.
/// </summary>
/// <param name="Id">Its id; empty at position 0.</param>
internal readonly record struct EventAt(long Position, Guid Id);
