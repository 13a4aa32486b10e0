using DuckDB.NET.Data;
using Opossum;
using Opossum.Sql;

if (args is not [var path, var sql] || path.StartsWith('-'))
{
    return End(2, """
        Usage: opossum-sql STORE "SQL"
        The table events has position, type, version, tags, timestamp, id, metadata and data. The store is only read.
          opossum-sql sales "select type, count(*) from events group by type"
          opossum-sql sales "copy events to 'sales.parquet'"
        """);
}
try
{
    using var database = new DuckDBConnection("DataSource=:memory:");
    database.Open();
    await EventTable.FillAsync(database, path);
    using var command = database.CreateCommand();
    command.CommandText = sql;
    using var reader = command.ExecuteReader();
    do
        RowText.Write(reader, Console.Out);
    while (reader.NextResult());
    return 0;
}
// The last three: a value for which .NET has no type, such as 'infinity'::timestamp.
catch (Exception e) when (e is DuckDBException or EventStoreException or ArgumentException or IOException
    or InvalidOperationException or InvalidCastException or OverflowException)
{
    return End(1, $"opossum-sql: {e.Message}");
}

static int End(int exitCode, string message)
{
    try
    {
        Console.Error.WriteLine(message);
    }
    catch (IOException)
    {
        // Nobody reads it; the exit code says how it ended.
    }
    return exitCode;
}
