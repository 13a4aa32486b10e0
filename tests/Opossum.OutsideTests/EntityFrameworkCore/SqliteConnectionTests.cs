using System.Data.Common;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Opossum.CliTests;
using Opossum.Tests.Diagnostics;

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

    [Fact(Timeout = HangMilliseconds)]
    public async Task The_health_check_says_how_many_events_the_rows_lack()
    {
        await CreateTablesAsync();
        using var host = await StartAsync(failing: 4);
        await Assert.ThrowsAsync<ProjectionException>(() => SellAndWaitAsync(host, 9));

        var health = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(TestContext.Current.CancellationToken);

        var projections = (IReadOnlyDictionary<string, object?>)health.Entries["opossum"].Data["projections"];
        var sales = (IReadOnlyDictionary<string, object?>)projections[Name]!;
        Assert.Equal((3L, 6L), (sales["position"], sales["lag"]));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task The_metric_says_how_many_events_the_rows_lack()
    {
        using var listening = new Listening(Folder.Path);
        await CreateTablesAsync();
        using var host = await StartAsync(failing: 4);
        await Assert.ThrowsAsync<ProjectionException>(() => SellAndWaitAsync(host, 9));

        var lag = Assert.Single(listening.Observe("opossum.projection.lag"));

        Assert.Equal((6.0, Name), (lag.Value, lag.Attributes["opossum.projection.name"]));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task The_command_line_says_how_many_events_the_rows_lack()
    {
        await CreateTablesAsync();
        using (var host = await StartAsync())
        {
            await SellAndWaitAsync(host, 3);
            await host.StopAsync(TestContext.Current.CancellationToken);
        }
        await using (var store = await Folder.OpenAsync())
            await store.AppendAsync(DbProjectionTests.Sales(2), cancellationToken: TestContext.Current.CancellationToken);
        using var shell = new Shell();

        var listed = (await shell.RunAsync("projections", "list", Folder.Path, "--json")).Succeeded();

        var sales = listed.Json.GetProperty("projections")[0];
        Assert.Equal((Name, 3, 2), (sales.GetProperty("name").GetString(), sales.GetProperty("position").GetInt64(), sales.GetProperty("lag").GetInt64()));
    }

    private protected override async Task CreateTablesAsync()
    {
        await ExecuteAsync("pragma journal_mode = wal");
        await base.CreateTablesAsync();
    }

    protected override DbConnection Connect() =>
        new SqliteConnection($"Data Source={Folder.Path}.db" + (Interlocked.Decrement(ref readOnlyConnections) >= 0 ? ";Mode=ReadOnly" : ""));

    protected override void DropDatabase() => SqliteConnection.ClearAllPools();
}
