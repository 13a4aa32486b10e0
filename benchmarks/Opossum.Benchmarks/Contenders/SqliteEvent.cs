using SQLitePCL;
using static SQLitePCL.raw;

namespace Opossum.Benchmarks.Contenders;

/// <summary>An event as a program would take it out of a row. The tags stay one text, which is less work than a list of them.</summary>
internal sealed record SqliteEvent(long Position, string Type, string Tags, DateTimeOffset Timestamp, Guid Id, byte[]? Json, PartMoved? Data)
{
    public static SqliteEvent Of(sqlite3_stmt row, byte[]? json, PartMoved? data) => new(
        sqlite3_column_int64(row, 0),
        sqlite3_column_text(row, 1).utf8_to_string(),
        sqlite3_column_text(row, 2).utf8_to_string(),
        new DateTimeOffset(sqlite3_column_int64(row, 3), TimeSpan.Zero),
        new Guid(sqlite3_column_blob(row, 4)),
        json,
        data);
}
