using System.Data.Common;
using Microsoft.Data.Sqlite;

namespace Opossum.EntityFrameworkCoreTests;

public sealed class SqliteConnectionTests : ConnectionProjectionTests
{
    protected override int Documented => 1;

    protected override DbConnection Connect() => new SqliteConnection($"Data Source={Folder.Path}.db");

    protected override void DropDatabase() => SqliteConnection.ClearAllPools();
}
