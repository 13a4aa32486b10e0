namespace Opossum.Cli.Events;

/// <summary>What <see cref="EventFile"/> reads of an event's file.</summary>
internal sealed record EventFileMembers(EventCommit? Commit);
