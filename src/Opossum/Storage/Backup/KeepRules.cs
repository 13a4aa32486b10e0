using System.Globalization;
using Opossum.Maintenance;

namespace Opossum.Storage.Backup;

/// <summary>Which snapshots are kept: the rules of restic.</summary>
internal static class KeepRules
{
    /// <summary>Whether any rule is set. Without one, all snapshots are kept.</summary>
    public static bool AreSet(SnapshotOptions options) => RulesOf(options).Any();

    /// <summary>The times that no rule keeps, ascending.</summary>
    /// <param name="times">The times of all snapshots, ascending.</param>
    public static List<DateTimeOffset> FindUnkept(IReadOnlyList<DateTimeOffset> times, SnapshotOptions options)
    {
        var kept = RulesOf(options).SelectMany(rule => Keep(times, rule.Period, rule.Count)).ToHashSet();
        return [.. times.Where(time => !kept.Contains(time))];
    }

    private static IEnumerable<(Func<DateTimeOffset, long> Period, int Count)> RulesOf(SnapshotOptions options)
    {
        if (options.KeepLast is { } last)
            yield return (static time => time.UtcTicks, last);
        if (options.KeepDaily is { } days)
            yield return (static time => time.UtcTicks / TimeSpan.TicksPerDay, days);
        if (options.KeepWeekly is { } weeks)
            yield return (static time => WeekOf(time.UtcDateTime), weeks);
        if (options.KeepMonthly is { } months)
            yield return (static time => time.UtcDateTime.Year * 100 + time.UtcDateTime.Month, months);
    }

    private static long WeekOf(DateTime time) => ISOWeek.GetYear(time) * 100 + ISOWeek.GetWeekOfYear(time);

    // The newest of each period. The oldest of all counts too while there are fewer: the history then begins as early as
    // it can.
    private static IEnumerable<DateTimeOffset> Keep(IReadOnlyList<DateTimeOffset> times,
        Func<DateTimeOffset, long> period, int count)
    {
        long? before = null;
        for (var at = times.Count - 1; at >= 0 && count > 0; at--)
        {
            if (period(times[at]) == before && at > 0)
                continue;
            before = period(times[at]);
            count--;
            yield return times[at];
        }
    }
}
