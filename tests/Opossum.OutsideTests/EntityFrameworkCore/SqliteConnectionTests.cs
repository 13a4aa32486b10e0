using System.Data.Common;
using Microsoft.Data.Sqlite;

namespace Opossum.EntityFrameworkCoreTests;

public sealed class SqliteConnectionTests : ConnectionProjectionTests
{
    private int readOnlyConnections;

    protected override int Documented => 1;

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_database_that_takes_no_writes_for_a_time_is_no_fault_of_an_event()
    {
        await CreateTablesAsync();
        using var host = await StartAsync();
        await SellAndWaitAsync(host, 5);
        // An attempt, and a look whether it has failed, for the first time and for each of two retries.
        readOnlyConnections = 6;

        await SellAndWaitAsync(host, 1);

        await AssertExactAsync(6);
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData(SQLitePCL.raw.SQLITE_BUSY)]
    [InlineData(SQLitePCL.raw.SQLITE_IOERR)]
    [InlineData(SQLitePCL.raw.SQLITE_FULL)]
    public Task A_database_that_is_busy_or_full_for_a_time_is_no_fault_of_an_event(int error) =>
        AssertRetriedAsync(() => Assert.Throws<SqliteException>(() => SqliteException.ThrowExceptionForRC(error, db: null)));

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_conflict_of_two_statements_of_a_handler_stops_the_projection()
    {
        await CreateTablesAsync();
        using var host = await StartAsync(failing: 2,
            error: static () => Assert.Throws<SqliteException>(() => SqliteException.ThrowExceptionForRC(SQLitePCL.raw.SQLITE_LOCKED, db: null)));

        await Assert.ThrowsAsync<ProjectionException>(() => SellAndWaitAsync(host, 3));

        await AssertExactAsync(1);
    }

    protected override DbConnection Connect() =>
        new SqliteConnection($"Data Source={Folder.Path}.db" + (Interlocked.Decrement(ref readOnlyConnections) >= 0 ? ";Mode=ReadOnly" : ""));

    protected override void DropDatabase() => SqliteConnection.ClearAllPools();
}
