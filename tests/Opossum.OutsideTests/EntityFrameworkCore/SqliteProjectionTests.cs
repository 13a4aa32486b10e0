using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Opossum.ProcessTests;
using Opossum.ProcessTests.Worker;

namespace Opossum.EntityFrameworkCoreTests;

/// <summary>A file, which is in WAL mode as Entity Framework Core creates it.</summary>
public sealed class SqliteProjectionTests(ITestOutputHelper output) : DbProjectionTests
{
    private const int Rounds = 30;

    private string Database => $"Data Source={Folder.Path}.db";

    [Fact]
    public async Task Rows_are_exact_when_processes_that_keep_them_are_killed_again_and_again()
    {
        var random = new Random(Seed.Choose(output));
        await CreateDatabaseAsync();
        var projectors = await WorkerProcess.StartReadyAsync(2, "project into database", Folder.Path, Database);
        try
        {
            await using var store = await Folder.OpenAsync();
            var rounds = LongTests.Number(usually: 2, asked: Rounds);
            for (var round = 0; round < rounds; round++)
            {
                await store.AppendAsync(Sales(random.Next(1, 1_500)));
                var at = random.Next(projectors.Length);
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
    public void The_model_compiles_for_SQL_Server()
    {
        using var db = new SalesContext(new DbContextOptionsBuilder<SalesContext>().UseSqlServer("Server=none").Options);

        Assert.Contains("CREATE TABLE [opossum_positions]", db.Database.GenerateCreateScript(), StringComparison.Ordinal);
    }

    protected override void Use(DbContextOptionsBuilder options) => options.UseSqlite(Database);

    protected override void DropDatabase() => SqliteConnection.ClearAllPools();
}
