namespace Opossum.Cli.Events;

/// <summary>The append that an event belongs to.</summary>
/// <param name="After">The position up to which everything was durable when it was written.</param>
internal sealed record EventCommit(long First, long Last, long After);
