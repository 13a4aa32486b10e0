using Dapper;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Opossum.Tests.Architecture;

namespace Opossum.DocTests;

[EventType("car-sold")]
public sealed record CarSold(string Car, [property: Tag("buyer")] string Buyer, decimal Price);

public sealed class SaleRow
{
    public long Id { get; init; }

    public required string Car { get; init; }

    public required string Buyer { get; init; }

    public decimal Price { get; init; }

    public DateTimeOffset? At { get; init; }
}

public sealed class DealershipContext(DbContextOptions<DealershipContext> options) : DbContext(options)
{
    public DbSet<SaleRow> Sales => Set<SaleRow>();

    protected override void OnModelCreating(ModelBuilder modelBuilder) => modelBuilder.AddOpossumPositions();
}

public sealed class ReadModelsSnippets : DocumentCode
{
    [Fact]
    public async Task Define()
    {
        SqliteConnection.ClearAllPools();
        var builder = Host.CreateEmptyApplicationBuilder(null);
        var services = builder.Services;

        services
            .AddDbContext<DealershipContext>(options => options.UseSqlite("Data Source=dealership.db"))
            .AddOpossum(options =>
            {
                options.Path = "dealership";
                options.EventTypes.Add<CarSold>();
            })
            .AddDbProjection<DealershipContext>("sales", p => p
                .On<CarSold>(async (db, sold, e, cancellation) => await db.Sales.AddAsync(
                    new SaleRow { Id = e.Position, Car = sold.Car, Buyer = sold.Buyer, Price = sold.Price, At = e.Timestamp }, cancellation))
                .On<PersonForgotten>(async (db, _, e, cancellation) =>
                {
                    foreach (var buyer in e.Tags.Where(tag => tag.Key == "buyer").Select(tag => tag.Value))
                    {
                        await db.Sales.Where(row => row.Buyer == buyer)
                            .ExecuteUpdateAsync(set => set.SetProperty(row => row.Buyer, "(forgotten)"), cancellation);
                    }
                })
                .Clear((db, cancellation) => db.Sales.ExecuteDeleteAsync(cancellation)));

        using var host = builder.Build();
        var database = host.Services.CreateScope().ServiceProvider.GetRequiredService<DealershipContext>();
        await database.Database.EnsureCreatedAsync();
        await host.StartAsync();
        var store = host.Services.GetRequiredService<IFileSystemEventStore>();
        await store.AppendAsync(new NewEvent(new CarSold("red one", "b1", 900)));
        await store.Projections["sales"].WaitForAsync(1);
        Assert.Equal("b1", (await database.Sales.AsNoTracking().SingleAsync()).Buyer);

        await host.Services.GetRequiredService<IPersonalData>().ForgetAsync(new Tag("buyer", "b1"), "asked for it");
        await store.Projections["sales"].WaitForAsync(await store.GetHeadAsync());
        Assert.Equal("(forgotten)", (await database.Sales.AsNoTracking().SingleAsync()).Buyer);

        await host.Services.GetRequiredService<IPersonalData>().ForgetAsync(new Tag("employee", "e1"), "asked for it");
        await store.Projections["sales"].WaitForAsync(await store.GetHeadAsync());
        Assert.Equal("(forgotten)", (await database.Sales.AsNoTracking().SingleAsync()).Buyer);
    }

    [Fact]
    public async Task Without_a_context()
    {
        // The other test's file had this name, and is deleted.
        SqliteConnection.ClearAllPools();
        using (var connection = new SqliteConnection("Data Source=dealership.db"))
        {
            await connection.ExecuteAsync(File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "read-models.md"))
                .Split("```sql\n")[1].Split("```")[0]);
            await connection.ExecuteAsync("create table sales (car text, buyer text, price real)");
        }
        var builder = Host.CreateEmptyApplicationBuilder(null);
        var services = builder.Services;

        services.AddOpossum(options =>
            {
                options.Path = "dealership";
                options.EventTypes.Add<CarSold>();
            })
            .AddDbProjection("sales", _ => new SqliteConnection("Data Source=dealership.db"), p => p
                .On<CarSold>((connection, transaction, sold, cancellation) => connection.ExecuteAsync(
                    "insert into sales (car, buyer, price) values (@Car, @Buyer, @Price)", sold, transaction))
                .Clear((connection, transaction, cancellation) => connection.ExecuteAsync("delete from sales", transaction: transaction)));

        using var host = builder.Build();
        await host.StartAsync();
        var store = host.Services.GetRequiredService<IFileSystemEventStore>();
        await store.AppendAsync(new NewEvent(new CarSold("red one", "b1", 900)));
        await store.Projections["sales"].WaitForAsync(1);
        using var reader = new SqliteConnection("Data Source=dealership.db");
        Assert.Equal("b1", await reader.QuerySingleAsync<string>("select buyer from sales"));
    }
}
