using System.Text;
using DuckDB.NET.Data;
using Opossum;
using Opossum.Sql;

const string Usage = """
    Usage: opossum-sql STORE "SQL"
    The table events has position, type, version, tags, timestamp, id, metadata and data. The store is only read.
      opossum-sql sales "select type, count(*) from events group by type"
      opossum-sql sales "copy events to 'sales.parquet'"
    """;
if (args is ["--help" or "-h"])
    return End(0, Usage, Console.Out);
if (args is not [var path, var sql] || path.StartsWith('-') || string.IsNullOrWhiteSpace(sql))
    return End(2, Usage, Console.Error);
// Else a pipe has the code page of the console on Windows, and loses letters.
Console.OutputEncoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
try
{
    using var database = new DuckDBConnection("DataSource=:memory:");
    database.Open();
    await EventTable.FillAsync(database, path);
    RowText.Write(database, sql, Console.Out);
    return 0;
}
catch (Exception e) when (e is DuckDBException or EventStoreException or ArgumentException or IOException or InvalidOperationException
    or InvalidCastException)
{
    return End(1, $"opossum-sql: {e.Message}", Console.Error);
}

static int End(int exitCode, string message, TextWriter writer)
{
    try
    {
        writer.WriteLine(message);
    }
    catch (IOException)
    {
        // Nobody reads it; the exit code says how it ended.
    }
    return exitCode;
}
