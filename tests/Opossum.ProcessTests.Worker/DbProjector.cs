using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Opossum.ProcessTests.Worker;

/// <summary>A host that keeps rows of a database up to date; as a process, until the test is done with it.</summary>
internal static class DbProjector
{
    public const string Name = "sales";

    public static async Task RunAsync(string path, string database)
    {
        using var host = Build(path, options => options.UseSqlite(database), Configure);
        await host.StartAsync();
        var store = host.Services.GetRequiredService<IFileSystemEventStore>();
        Lines.Say("ready");
        while (Lines.Hear() is { } line)
        {
            await store.Projections[Name].WaitForAsync(long.Parse(line));
            Lines.Say("there");
        }
    }

    public static IHost Build(string path, Action<DbContextOptionsBuilder> database, Action<DbProjection<SalesContext>> configure,
        int version = 1)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddDbContext<SalesContext>(database);
        builder.Services.AddOpossum(options => options.Path = path).AddDbProjection(Name, configure, version);
        builder.Services.Configure<ProjectionOptions>(options =>
        {
            options.TakeOverInterval = options.PollInterval = TimeSpan.FromMilliseconds(20);
            options.RetryDelay = TimeSpan.Zero;
            options.MaxRetryAttempts = 2;
        });
        return builder.Build();
    }

    public static void Configure(DbProjection<SalesContext> sales) => sales
        .On("sold", ApplyAsync)
        .Clear(ClearAsync);

    public static async Task ClearAsync(SalesContext db, CancellationToken cancellation)
    {
        await db.Sales.ExecuteDeleteAsync(cancellation);
        await db.Totals.ExecuteDeleteAsync(cancellation);
    }

    public static async Task ApplyAsync(SalesContext db, SequencedEvent e, CancellationToken cancellation)
    {
        var seller = e.Tags[0].Value;
        db.Sales.Add(new SaleRow { Id = e.Position, Seller = seller });
        var total = await db.Totals.FindAsync([seller], cancellation) ?? db.Totals.Add(new SalesTotal { Seller = seller }).Entity;
        total.Count++;
        total.Positions += e.Position;
    }
}
