using System.Data.Common;
using System.Diagnostics;
using System.Globalization;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Storage;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Opossum.Benchmarks.Projections;

namespace Opossum.Benchmarks.ReadModels;

/// <summary>A way to fill a table of SQLite: by a projection, and by a loop of the same statements.</summary>
internal abstract class ReadModel
{
    private const string Name = "bookings";
    private const int EventsABatch = 512;

    public static IReadOnlyList<ReadModel> All { get; } =
        [new ByConnection(), new ByContext(savesOnce: false), new ByContext(savesOnce: true)];

    /// <summary>What it is called in tables.</summary>
    public abstract string Title { get; }

    /// <summary>Builds the rows from a store's events: opens the store and waits until all are in.</summary>
    public async Task<TimeSpan> ProjectAsync(string store, string database, int events)
    {
        await BookingContext.Open(database).DisposeAsync();
        var services = new ServiceCollection();
        services.AddLogging();
        services.AddDbContext<BookingContext>(options => options.UseSqlite(BookingContext.ConnectionTo(database)));
        Add(services.AddOpossum(options =>
        {
            options.Path = store;
            options.EventTypes.Add<Booked>();
        }), database);
        var time = TimeSpan.Zero;
        await using (var provider = services.BuildServiceProvider())
        {
            var hosted = provider.GetServices<IHostedService>().OfType<IHostedLifecycleService>().ToList();
            var clock = Stopwatch.StartNew();
            // The store is opened here, and its projections are started.
            foreach (var each in hosted)
                await each.StartingAsync(CancellationToken.None);
            await provider.GetRequiredService<IFileSystemEventStore>().Projections[Name].WaitForAsync(events);
            time = clock.Elapsed;
        }
        await VerifyAsync(database, events);
        return time;
    }

    /// <summary>Executes the same statements in batches of the same size, without a store.</summary>
    public async Task<TimeSpan> LoopAsync(string database, int events)
    {
        await using var db = BookingContext.Open(database);
        await db.Database.OpenConnectionAsync();
        await db.Database.ExecuteSqlAsync($"""
            insert into opossum_positions (name, store, version, term, position, event_id, target)
            values ({Name}, {Guid.NewGuid()}, 1, 1, 0, {Guid.Empty}, 0)
            """);
        Booked[] all = [.. Enumerable.Range(0, events).Select(Event)];
        var clock = Stopwatch.StartNew();
        var position = 0;
        foreach (var batch in all.Chunk(EventsABatch))
        {
            await using var transaction = await db.Database.BeginTransactionAsync();
            await db.Database.ExecuteSqlAsync($"""
                update opossum_positions set position = {position + batch.Length}, event_id = {Guid.NewGuid()}
                where name = {Name} and term = 1 and position = {position}
                """);
            await ApplyAsync(db, position + 1, batch);
            await transaction.CommitAsync();
            position += batch.Length;
        }
        var time = clock.Elapsed;
        await VerifyAsync(database, events);
        return time;
    }

    public static Booked Event(int number) => new(number, number % 100, "what was booked");

    protected abstract void Add(OpossumBuilder store, string database);

    /// <summary>Applies the events of a batch as a loop does, in the context's transaction.</summary>
    protected abstract Task ApplyAsync(BookingContext db, long first, IReadOnlyList<Booked> batch);

    private static async Task VerifyAsync(string database, int events)
    {
        await using var db = BookingContext.Open(database);
        var found = await db.Bookings.CountAsync();
        if (found != events)
        {
            throw new InvalidOperationException(string.Create(CultureInfo.InvariantCulture,
                $"There are {found} rows of {events} events."));
        }
    }

    private sealed class ByConnection : ReadModel
    {
        public override string Title => "a connection";

        protected override void Add(OpossumBuilder store, string database) => store.AddDbProjection(Name,
            _ => new SqliteConnection(BookingContext.ConnectionTo(database)), projection => projection
                .On<Booked>(static (connection, transaction, booked, e, _) =>
                    InsertAsync(connection, transaction, e.Position, booked))
                .Clear(static (connection, transaction, _) =>
                    ExecuteAsync(connection, transaction, "delete from Bookings")));

        protected override async Task ApplyAsync(BookingContext db, long first, IReadOnlyList<Booked> batch)
        {
            var connection = db.Database.GetDbConnection();
            var transaction = db.Database.CurrentTransaction!.GetDbTransaction();
            for (var at = 0; at < batch.Count; at++)
                await InsertAsync(connection, transaction, first + at, batch[at]);
        }

        private static Task InsertAsync(DbConnection connection, DbTransaction transaction, long id, Booked booked) =>
            ExecuteAsync(connection, transaction,
                "insert into Bookings (Id, Number, Amount, Text) values (@id, @number, @amount, @text)",
                ("@id", id), ("@number", booked.Number), ("@amount", booked.Amount), ("@text", booked.Text));

        private static async Task ExecuteAsync(DbConnection connection, DbTransaction transaction, string sql,
            params (string Name, object Value)[] values)
        {
            await using var command = connection.CreateCommand();
            (command.CommandText, command.Transaction) = (sql, transaction);
            foreach (var (name, value) in values)
            {
                var parameter = command.CreateParameter();
                (parameter.ParameterName, parameter.Value) = (name, value);
                command.Parameters.Add(parameter);
            }
            await command.ExecuteNonQueryAsync();
        }
    }

    private sealed class ByContext(bool savesOnce) : ReadModel
    {
        public override string Title =>
            $"Entity Framework Core, saved {(savesOnce ? "once a batch" : "after each event")}";

        protected override void Add(OpossumBuilder store, string database) =>
            store.AddDbProjection<BookingContext>(Name, projection =>
            {
                projection.On<Booked>(static (db, booked, e, _) => Insert(db, e.Position, booked))
                    .Clear(static (db, cancellation) => db.Bookings.ExecuteDeleteAsync(cancellation));
                if (savesOnce)
                    projection.SaveOncePerBatch();
            });

        protected override async Task ApplyAsync(BookingContext db, long first, IReadOnlyList<Booked> batch)
        {
            for (var at = 0; at < batch.Count; at++)
            {
                await Insert(db, first + at, batch[at]);
                if (savesOnce && at < batch.Count - 1)
                    continue;
                await db.SaveChangesAsync();
                db.ChangeTracker.Clear();
            }
        }

        private static Task Insert(BookingContext db, long id, Booked booked)
        {
            db.Bookings.Add(new Booking
            {
                Id = id,
                Number = booked.Number,
                Amount = booked.Amount,
                Text = booked.Text,
            });
            return Task.CompletedTask;
        }
    }
}
