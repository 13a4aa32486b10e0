using System.Data.Common;
using Opossum.Projections.States;

namespace Opossum.Projections.Databases;

/// <summary>The same by SQL on a connection of the app, in the words that all databases have.</summary>
internal sealed class ConnectionPositions(DbProjection projection, Func<DbConnection> connect)
    : Positions(projection.Name)
{
    private static readonly string[] columns =
        ["version", "term", "position", "event_id", "target", "fault_position", "fault_type", "fault_error", "fault_at"];

    private static readonly string read =
        $"select store, {string.Join(", ", columns)} from {PositionRow.Table} where name = @name";

    private static readonly string add = $"insert into {PositionRow.Table} (name, store, {string.Join(", ", columns)}) "
        + $"values (@name, @store, @{string.Join(", @", columns)})";

    private static readonly string change =
        $"update {PositionRow.Table} set {string.Join(", ", columns.Select(static each => $"{each} = @{each}"))} "
        + "where name = @name and term = @known_term and position = @known_position";

    public override string Database => "the database";

    protected override string TableAdvice => "create it before the host starts: docs/read-models.md has its SQL.";

    public override async Task AddAsync(PositionRow row, CancellationToken cancellationToken)
    {
        var connection = await OpenAsync(cancellationToken).ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            await ExecuteAsync(connection, null, add, [.. ValuesOf(row), ("store", row.Store)], cancellationToken)
                .ConfigureAwait(false);
        }
    }

    public override async Task CommitAsync(PositionRow known, PositionRow next, Func<IDbRows, Task>? work,
        CancellationToken cancellationToken)
    {
        var connection = await OpenAsync(cancellationToken).ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            var transaction = await connection.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
            await using (transaction.ConfigureAwait(false))
            {
                // Order matters: the row is locked from here on, or another leader could apply the events too.
                ThrowUnlessChanged(await ExecuteAsync(connection, transaction, change,
                    [.. ValuesOf(next), ("known_term", known.Term), ("known_position", known.Position)], cancellationToken)
                    .ConfigureAwait(false));
                if (work is not null)
                    await work(new ConnectionRows(projection, connection, transaction)).ConfigureAwait(false);
                await transaction.CommitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }

    protected override async Task<PositionRow?> ReadRowAsync(CancellationToken cancellationToken)
    {
        var connection = await OpenAsync(cancellationToken).ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            var command = NewCommand(connection, null, read, [("name", Name)]);
            await using (command.ConfigureAwait(false))
            {
                var reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
                await using (reader.ConfigureAwait(false))
                    return await reader.ReadAsync(cancellationToken).ConfigureAwait(false) ? RowOf(reader) : null;
            }
        }
    }

    private PositionRow RowOf(DbDataReader reader) => new()
    {
        Name = Name,
        Store = reader.GetGuid(0),
        Version = reader.GetInt32(1),
        Term = reader.GetInt64(2),
        Position = reader.GetInt64(3),
        EventId = reader.GetGuid(4),
        Target = reader.GetInt64(5),
        FaultPosition = reader.IsDBNull(6) ? null : reader.GetInt64(6),
        FaultType = reader.IsDBNull(7) ? null : reader.GetString(7),
        FaultError = reader.IsDBNull(8) ? null : reader.GetString(8),
        FaultAt = reader.IsDBNull(9) ? null : reader.GetFieldValue<DateTimeOffset>(9),
    };

    private (string Name, object? Value)[] ValuesOf(PositionRow row) =>
    [
        ("name", Name), ("version", row.Version), ("term", row.Term), ("position", row.Position),
        ("event_id", row.EventId), ("target", row.Target), ("fault_position", row.FaultPosition),
        ("fault_type", row.FaultType), ("fault_error", row.FaultError), ("fault_at", row.FaultAt),
    ];

    private async Task<DbConnection> OpenAsync(CancellationToken cancellationToken)
    {
        var connection = connect();
        try
        {
            await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
            return connection;
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static async Task<int> ExecuteAsync(DbConnection connection, DbTransaction? transaction, string sql,
        (string Name, object? Value)[] values, CancellationToken cancellationToken)
    {
        var command = NewCommand(connection, transaction, sql, values);
        await using (command.ConfigureAwait(false))
            return await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
    }

    private static DbCommand NewCommand(DbConnection connection, DbTransaction? transaction, string sql,
        (string Name, object? Value)[] values)
    {
        var command = connection.CreateCommand();
        (command.CommandText, command.Transaction) = (sql, transaction);
        foreach (var (name, value) in values)
        {
            var parameter = command.CreateParameter();
            (parameter.ParameterName, parameter.Value) = ("@" + name, value ?? DBNull.Value);
            command.Parameters.Add(parameter);
        }
        return command;
    }
}
