using System.Data.Common;
using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Opossum.Following;
using Opossum.ProcessTests;
using Opossum.Projections.Databases;
using Opossum.Projections.States;
using Opossum.Tests.Architecture;

namespace Opossum.EntityFrameworkCoreTests;

/// <summary>What a projection promises that has a connection and no context, on each database.</summary>
public abstract class ConnectionProjectionTests : IDisposable
{
    protected const string Name = "sales";
    protected const int HangMilliseconds = 60_000;

    private readonly StoreFolder folder = new();
    private int transientFailures;
    private Func<DbException> passing = static () => throw new InvalidOperationException("No error passes.");
    private long refused;

    public void Dispose()
    {
        DropDatabase();
        folder.Dispose();
        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task Each_event_counts_once_across_restarts_versions_and_rebuilds()
    {
        await CreateTablesAsync();
        using (var host = await StartAsync())
        {
            await SellAndWaitAsync(host, 600);
            await host.StopAsync(TestContext.Current.CancellationToken);
        }
        using (var again = await StartAsync())
        {
            await SellAndWaitAsync(again, 10);
            await AssertExactAsync(610);
            await again.StopAsync(TestContext.Current.CancellationToken);
        }
        await ExecuteAsync("delete from sales");
        using var higher = await StartAsync(version: 2);
        await ProjectionOf(higher).WaitForAsync(610, TestContext.Current.CancellationToken);
        await AssertExactAsync(610);
        await ExecuteAsync("delete from sales");

        await ProjectionOf(higher).RebuildAsync(cancellationToken: TestContext.Current.CancellationToken);

        await AssertExactAsync(610);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_handler_that_fails_after_its_statement_changes_nothing_and_the_projection_stops_there()
    {
        await CreateTablesAsync();
        using var host = await StartAsync(failing: 7);

        await Assert.ThrowsAsync<ProjectionException>(() => SellAndWaitAsync(host, 12));

        await AssertExactAsync(6);
        Assert.Equal(7, (await ProjectionOf(host).GetStatusAsync(TestContext.Current.CancellationToken)).Fault!.Position);
        await ProjectionOf(host).SkipAsync(7, "a test", cancellationToken: TestContext.Current.CancellationToken);
        await ProjectionOf(host).WaitForAsync(12, TestContext.Current.CancellationToken);
        Assert.Equal(11, await CountAsync("select count(*) from sales"));
    }

    [Fact(Timeout = HangMilliseconds)]
    public Task An_error_that_the_driver_calls_transient_is_no_fault_of_an_event() => AssertRetriedAsync(static () => new TransientException());

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_leader_whose_row_another_has_taken_begins_again_where_that_one_is()
    {
        await CreateTablesAsync();
        using var host = await StartAsync();
        await SellAndWaitAsync(host, 5);
        await ExecuteAsync("update opossum_positions set term = term + 1");

        await SellAndWaitAsync(host, 5);

        await AssertExactAsync(10);
    }

    [Fact]
    public async Task A_former_leader_commits_nothing()
    {
        await CreateTablesAsync();
        using (var host = await StartAsync())
        {
            await SellAndWaitAsync(host, 5);
            await host.StopAsync(TestContext.Current.CancellationToken);
        }
        var positions = new ConnectionPositions(new DbProjection(Name, Connect), Connect);
        var row = (await positions.ReadAsync(TestContext.Current.CancellationToken))!;

        foreach (var known in (PositionRow[])[row with { Term = row.Term - 1 }, row with { Position = row.Position - 1 }])
        {
            await Assert.ThrowsAsync<LeadershipLostException>(() => positions.CommitAsync(known, known with { Position = 99 },
                static _ => throw new InvalidOperationException("The rows are changed before the fence."), CancellationToken.None));
        }

        Assert.Equal(row, await positions.ReadAsync(TestContext.Current.CancellationToken));
        await AssertExactAsync(5);
    }

    [Fact]
    public async Task A_missing_table_is_named_in_the_status()
    {
        using var host = await StartAsync();

        var status = await ProjectionOf(host).GetStatusAsync(TestContext.Current.CancellationToken);

        Assert.Contains("docs/read-models.md", status.Problem!.Error, StringComparison.Ordinal);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Events_before_one_that_the_database_refuses_for_now_are_in_the_rows()
    {
        await CreateTablesAsync();
        using var host = await StartAsync();
        Interlocked.Exchange(ref refused, 4);
        var waiting = SellAndWaitAsync(host, 5);

        await ProjectionOf(host).WaitForAsync(3, TestContext.Current.CancellationToken);

        await AssertExactAsync(3);
        Interlocked.Exchange(ref refused, 0);
        await waiting;
        await AssertExactAsync(5);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_wait_outlasts_a_database_that_is_away()
    {
        await CreateTablesAsync();
        using var host = await StartAsync();
        await SellAndWaitAsync(host, 5);
        await ExecuteAsync("alter table opossum_positions rename to away");
        var waiting = SellAndWaitAsync(host, 1);
        while (await ProjectionOf(host).GetStatusAsync(TestContext.Current.CancellationToken)
            is { IsLeader: true } or { Problem: null })
        {
            await Task.Yield();
        }
        var another = ProjectionOf(host).WaitForAsync(6, TestContext.Current.CancellationToken);

        await ExecuteAsync("alter table away rename to opossum_positions");

        await Task.WhenAll(waiting, another);
        await AssertExactAsync(6);
    }

    protected async Task AssertRetriedAsync(Func<DbException> error)
    {
        passing = error;
        await CreateTablesAsync();
        using var host = await StartAsync();
        await SellAndWaitAsync(host, 5);
        // Once for all of them, and more often than one event is retried.
        transientFailures = 4;

        await SellAndWaitAsync(host, 2);

        await AssertExactAsync(7);
    }

    private protected StoreFolder Folder => folder;

    /// <summary>The number of the block of SQL in the documentation that makes the table.</summary>
    protected abstract int Documented { get; }

    protected abstract DbConnection Connect();

    protected abstract void DropDatabase();

    private protected virtual async Task CreateTablesAsync()
    {
        var page = await File.ReadAllTextAsync(Path.Combine(SourceTree.Root, "docs", "read-models.md"));
        await ExecuteAsync(page.Split("```sql\n")[Documented].Split("```")[0]);
        await ExecuteAsync("create table sales (id bigint primary key, seller varchar(10) not null)");
    }

    private protected async Task<IHost> StartAsync(int version = 1, long failing = 0, Func<Exception>? error = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddHealthChecks().AddOpossum();
        builder.Services.AddOpossum(options => options.Path = folder.Path).AddDbProjection(Name, _ => Connect(), sales => sales
            .On("sold", async (connection, transaction, e, cancellation) =>
            {
                await using var command = connection.CreateCommand();
                command.Transaction = transaction;
                command.CommandText = string.Create(CultureInfo.InvariantCulture, $"insert into sales values ({e.Position}, '{e.Tags[0].Value}')");
                await command.ExecuteNonQueryAsync(cancellation);
                if (Interlocked.Decrement(ref transientFailures) >= 0)
                    throw new InvalidOperationException("saved in vain", passing());
                if (e.Position == Interlocked.Read(ref refused))
                    throw new TransientException();
                if (e.Position == failing)
                    throw error?.Invoke() ?? new FormatException("poison");
            })
            .Clear(async (connection, transaction, cancellation) =>
            {
                await using var command = connection.CreateCommand();
                (command.Transaction, command.CommandText) = (transaction, "delete from sales");
                await command.ExecuteNonQueryAsync(cancellation);
            }), version);
        builder.Services.Configure<ProjectionOptions>(options =>
        {
            options.TakeOverInterval = options.PollInterval = TimeSpan.FromMilliseconds(20);
            (options.RetryDelay, options.MaxRetryAttempts) = (TimeSpan.Zero, 2);
        });
        var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        return host;
    }

    private protected async Task AssertExactAsync(int events)
    {
        Assert.Equal(events, await CountAsync("select count(*) from sales"));
        Assert.Equal(events, await CountAsync("select max(id) from sales"));
    }

    private protected async Task ExecuteAsync(string sql)
    {
        await using var connection = Connect();
        await connection.OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        await command.ExecuteNonQueryAsync();
    }

    private async Task<long> CountAsync(string sql)
    {
        await using var connection = Connect();
        await connection.OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        return (long)(await command.ExecuteScalarAsync())!;
    }

    private protected static async Task SellAndWaitAsync(IHost host, int count)
    {
        var store = host.Services.GetRequiredService<IFileSystemEventStore>();
        var appended = await store.AppendAsync(DbProjectionTests.Sales(count), cancellationToken: TestContext.Current.CancellationToken);
        await ProjectionOf(host).WaitForAsync(appended.LastPosition, TestContext.Current.CancellationToken);
    }

    private static ProjectionHandle ProjectionOf(IHost host) => host.Services.GetRequiredService<IFileSystemEventStore>().Projections[Name];

    private sealed class TransientException() : DbException("disk full")
    {
        public override bool IsTransient => true;
    }
}
