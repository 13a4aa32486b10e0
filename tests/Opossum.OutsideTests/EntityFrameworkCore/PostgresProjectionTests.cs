using Microsoft.EntityFrameworkCore;
using Npgsql;

namespace Opossum.EntityFrameworkCoreTests;

public sealed class PostgresProjectionTests : DbProjectionTests, IClassFixture<PostgresServer>
{
    private readonly string database = $"opossum_{Guid.NewGuid():N}";
    private readonly PostgresServer server;

    public PostgresProjectionTests(PostgresServer server)
    {
        // A test that is skipped here is not disposed.
        if (!server.IsThere)
            Dispose();
        LongTests.SkipUnlessAsked();
        Assert.SkipUnless(server.IsThere, PostgresServer.Reason);
        this.server = server;
    }

    protected override void Use(DbContextOptionsBuilder options) => options.UseNpgsql(server.ConnectionTo(database));

    protected override void DropDatabase() => NpgsqlConnection.ClearAllPools();
}
