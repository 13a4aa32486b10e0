namespace Opossum.Cli.Events;

/// <summary>The events of a day.</summary>
/// <param name="Day">The day, in UTC.</param>
/// <param name="Events">The number of events that were appended on it.</param>
internal sealed record DayCount(DateOnly Day, long Events);
