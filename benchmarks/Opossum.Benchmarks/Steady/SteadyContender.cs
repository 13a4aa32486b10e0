using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Steady;

/// <summary>A contender of the steady measures, by the mode in which it is opened.</summary>
/// <param name="Name">Its name in the table.</param>
/// <param name="RateMax">The highest rate in events a second that it is measured at.</param>
/// <param name="Create">Makes it in a folder, not open yet.</param>
internal sealed record SteadyContender(string Name, int RateMax, Func<string, IStoreContender> Create)
{
    private const int Any = int.MaxValue;

    public static IReadOnlyList<SteadyContender> All { get; } =
    [
        new(ContenderName.Sqlite, 1_000, static path => new SqliteContender(path)),
        new(ContenderName.GroupedSqlite, Any, static path => new GroupedSqliteContender(path)),
        new(ContenderName.Opossum, Any, static path => new OpossumContender(path)),
        new(ContenderName.OpossumWithJournal, Any, static path => new OpossumContender(path, useJournal: true)),
        new("Opossum, not flushed", Any, static path => new OpossumContender(path, flush: false)),
    ];
}
