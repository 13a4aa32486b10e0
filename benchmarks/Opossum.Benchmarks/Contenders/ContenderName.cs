namespace Opossum.Benchmarks.Contenders;

/// <summary>The contenders' names in tables and charts.</summary>
internal static class ContenderName
{
    public const string Opossum = "Opossum";
    public const string OpossumWithJournal = "Opossum with a journal";
    public const string RawFiles = "raw files";
    public const string RawLog = "raw log";
    public const string RawLogInPlace = "raw log, written before";
    public const string Sqlite = "SQLite";
    public const string SqliteOnShare = "SQLite with a rollback journal";
    public const string GroupedSqlite = "SQLite, grouped by the app";
}
