using System.Data.Common;
using Npgsql;

namespace Opossum.EntityFrameworkCoreTests;

public sealed class PostgresConnectionTests : ConnectionProjectionTests, IClassFixture<PostgresServer>
{
    private readonly string database = $"opossum_{Guid.NewGuid():N}";
    private readonly PostgresServer server;

    public PostgresConnectionTests(PostgresServer server)
    {
        // A test that is skipped here is not disposed.
        if (!server.IsThere)
            Dispose();
        LongTests.SkipUnlessAsked();
        Assert.SkipUnless(server.IsThere, PostgresServer.Reason);
        this.server = server;
        using var connection = new NpgsqlConnection(server.ConnectionTo("postgres"));
        connection.Open();
        using var command = new NpgsqlCommand($"create database {database}", connection);
        command.ExecuteNonQuery();
    }

    protected override int Documented => 2;

    protected override DbConnection Connect() => new NpgsqlConnection(server.ConnectionTo(database));

    protected override void DropDatabase() => NpgsqlConnection.ClearAllPools();
}
