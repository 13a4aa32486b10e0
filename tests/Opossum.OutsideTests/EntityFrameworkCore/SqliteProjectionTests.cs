using System.Transactions;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Storage;
using Microsoft.Extensions.DependencyInjection;
using Opossum.ProcessTests;
using Opossum.ProcessTests.Worker;

namespace Opossum.EntityFrameworkCoreTests;

/// <summary>A file, which is in WAL mode as Entity Framework Core creates it.</summary>
public sealed class SqliteProjectionTests(ITestOutputHelper output) : DbProjectionTests
{
    // Each of the two is killed in half of them.
    private static readonly int rounds = Environment.GetEnvironmentVariable("OPOSSUM_TEST_ALL") == "1" ? 600 : 10;

    private string Database => $"Data Source={Folder.Path}.db";

    [Fact]
    public async Task Rows_are_exact_when_processes_that_keep_them_are_killed_again_and_again()
    {
        LongTests.SkipUnlessAsked();
        var random = new Random(Seed.Choose(output));
        await CreateDatabaseAsync();
        var projectors = await WorkerProcess.StartReadyAsync(2, "project into database", Folder.Path, Database);
        int[] killed = [.. Enumerable.Range(0, rounds).Select(round => round % projectors.Length)];
        random.Shuffle(killed);
        try
        {
            await using var store = await Folder.OpenAsync();
            foreach (var at in killed)
            {
                await store.AppendAsync(Sales(random.Next(1, 1_500)));
                projectors[at].Kill();
                projectors[at].Dispose();
                projectors[at] = WorkerProcess.Start("project into database", Folder.Path, Database);
                await projectors[at].HearAsync("ready");
            }
            var head = await store.GetHeadAsync();
            foreach (var projector in projectors)
            {
                projector.Say($"{head}");
                await projector.HearAsync("there");
            }
            output.WriteLine($"{rounds} processes were killed, {head} events");

            await AssertExactAsync((int)head);
        }
        finally
        {
            Array.ForEach(projectors, projector => projector.Dispose());
        }
    }

    [Fact]
    public async Task A_context_that_retries_by_itself_does_not_hide_what_is_wrong()
    {
        using var host = DbProjector.Build(Folder.Path,
            options => options.UseSqlite(Database, sqlite => sqlite.ExecutionStrategy(static of => new RetryingOnce(of))), DbProjector.Configure);
        await host.StartAsync(TestContext.Current.CancellationToken);

        Assert.Contains("dotnet ef migrations add", (await StatusOfAsync(host)).Problem!.Error, StringComparison.Ordinal);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_stop_does_not_wait_for_the_pause_of_a_context_that_retries_by_itself()
    {
        await CreateDatabaseAsync();
        using var host = DbProjector.Build(Folder.Path,
            options => options.UseSqlite(Database, sqlite => sqlite.ExecutionStrategy(static of => new RetryingOnce(of, TimeSpan.FromDays(1)))),
            DbProjector.Configure);
        var hasFailed = new TaskCompletionSource();
        var projection = new DbProjection<SalesContext>(DbProjector.Name, 1, host.Services.GetRequiredService<IServiceScopeFactory>())
            .On("sold", (_, _, _) =>
            {
                hasFailed.TrySetResult();
                throw new FormatException("poison");
            })
            .Clear(DbProjector.ClearAsync);
        await using var store = await Folder.OpenAsync();
        await store.AppendAsync(Sales(1), cancellationToken: TestContext.Current.CancellationToken);

        await using (store.StartProjections([projection]))
            await hasFailed.Task;

        await AssertExactAsync(0);
    }

    [Fact]
    public async Task A_caller_in_a_transaction_of_its_own_sees_how_far_it_is()
    {
        await CreateDatabaseAsync();
        using var host = await StartAsync();
        await SellAndWaitAsync(host, 3);

        using var transaction = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
        var status = await StatusOfAsync(host);

        Assert.Equal((3L, null), (status.Position, status.Problem));
    }

    [Fact]
    public void The_model_compiles_for_SQL_Server()
    {
        using var db = new SalesContext(new DbContextOptionsBuilder<SalesContext>().UseSqlServer("Server=none").Options);

        Assert.Contains("CREATE TABLE [opossum_positions]", db.Database.GenerateCreateScript(), StringComparison.Ordinal);
    }

    protected override void Use(DbContextOptionsBuilder options) => options.UseSqlite(Database);

    protected override void DropDatabase() => SqliteConnection.ClearAllPools();

    private sealed class RetryingOnce(ExecutionStrategyDependencies dependencies, TimeSpan pause = default)
        : ExecutionStrategy(dependencies, 1, TimeSpan.Zero)
    {
        protected override bool ShouldRetryOn(Exception exception) => true;

        protected override TimeSpan? GetNextDelay(Exception lastException) => base.GetNextDelay(lastException) is null ? null : pause;
    }
}
