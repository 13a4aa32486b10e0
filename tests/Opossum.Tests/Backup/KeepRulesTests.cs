using System.Globalization;
using Opossum.Maintenance;
using Opossum.Storage.Backup;

namespace Opossum.Tests.Backup;

/// <summary>Which snapshots the rules keep: as those of restic.</summary>
public sealed class KeepRulesTests
{
    [Fact]
    public void The_last_ones_are_kept() =>
        Assert.Equal(["11-20 18", "11-20 19"], Kept(new() { KeepLast = 2 }, "11-18 12", "11-20 18", "11-20 19"));

    [Fact]
    public void The_newest_of_each_day_is_kept_for_the_days_that_have_one() =>
        Assert.Equal(["11-17 23", "11-20 19"], Kept(new() { KeepDaily = 2 }, "11-16 12", "11-17 01", "11-17 23", "11-20 18", "11-20 19"));

    [Fact]
    public void The_oldest_is_kept_while_there_are_fewer_days() =>
        Assert.Equal(["11-17 01", "11-17 23", "11-20 19"], Kept(new() { KeepDaily = 9 }, "11-17 01", "11-17 13", "11-17 23", "11-20 19"));

    // 2026 has 53 weeks: the first days of 2027 belong to its last one.
    [Fact]
    public void A_week_begins_on_Monday_also_across_the_years_end() =>
        Assert.Equal(["2026-12-27 12", "2027-01-03 23", "2027-01-04 00"],
            Kept(new() { KeepWeekly = 3 }, "2026-12-20 12", "2026-12-27 12", "2026-12-28 00", "2027-01-01 12", "2027-01-03 23", "2027-01-04 00"));

    [Fact]
    public void The_newest_of_each_month_is_kept() =>
        Assert.Equal(["2025-11-30 12", "2026-10-31 23", "2026-11-02 12"],
            Kept(new() { KeepMonthly = 3 }, "2025-10-01 12", "2025-11-30 12", "2026-10-01 12", "2026-10-31 23", "2026-11-02 12"));

    [Fact]
    public void What_any_rule_keeps_is_kept() => Assert.Equal(["10-31 12", "11-19 12", "11-20 12"],
        Kept(new() { KeepLast = 1, KeepDaily = 2, KeepMonthly = 2 }, "10-01 12", "10-31 12", "11-18 12", "11-19 12", "11-20 12"));

    [Fact]
    public void No_rule_is_a_rule_that_is_not_set() => Assert.False(KeepRules.AreSet(new SnapshotOptions { IncludeKeys = true }));

    private static List<string> Kept(SnapshotOptions rules, params string[] times)
    {
        var unkept = KeepRules.FindUnkept([.. times.Select(Parse)], rules);
        return [.. times.Where(time => !unkept.Contains(Parse(time)))];
    }

    private static DateTimeOffset Parse(string time) => DateTimeOffset.ParseExact(time.Length > 8 ? time : $"2026-{time}", "yyyy-MM-dd HH",
        CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal);
}
