// The cars of a dealership: events in a folder, and their list in SQLite, sorted, paged and filtered by the database.
//
//   dotnet run --project samples/CarDealership

using CarDealership;
using Microsoft.EntityFrameworkCore;
using Opossum;

var builder = WebApplication.CreateBuilder(args);
var folder = Path.Combine(builder.Environment.ContentRootPath, builder.Configuration["Folder"]!);
Directory.CreateDirectory(folder);
builder.Services
    .AddDbContext<CarContext>(options => options.UseSqlite($"Data Source={Path.Combine(folder, "cars.db")}"))
    .AddOpossum(options =>
    {
        options.Path = Path.Combine(folder, "store");
        options.EventTypes.AddAssembly(typeof(CarSold).Assembly);
    })
    .AddDbProjection<CarContext>(CarList.Name, CarList.Keep);
builder.Services.AddHealthChecks().AddOpossum();
// Half a car is refused: stored, it would stop the list.
builder.Services.ConfigureHttpJsonOptions(options =>
{
    options.SerializerOptions.RespectRequiredConstructorParameters = true;
    options.SerializerOptions.RespectNullableAnnotations = true;
});

var app = builder.Build();
using (var scope = app.Services.CreateScope())
    await scope.ServiceProvider.GetRequiredService<CarContext>().Database.EnsureCreatedAsync();

app.MapGet("/", async ([AsParameters] CarQuery query, CarContext db, CancellationToken cancellation) =>
{
    var (cars, count) = await CarList.ReadAsync(db, query, cancellation);
    return CarPage.Show(query, cars, count);
});
app.MapGet("/cars", async ([AsParameters] CarQuery query, CarContext db, CancellationToken cancellation) =>
    (await CarList.ReadAsync(db, query, cancellation)).Cars);
app.MapPost("/cars", async (CarTakenIn car, IFileSystemEventStore store, CancellationToken cancellation) =>
    await AppendAsync(store, car, car.CarId, mustBeForSale: false, cancellation));
app.MapPost("/cars/price", async (PriceChanged price, IFileSystemEventStore store, CancellationToken cancellation) =>
    await AppendAsync(store, price, price.CarId, mustBeForSale: true, cancellation));
app.MapPost("/cars/sale", async (CarSold sale, IFileSystemEventStore store, CancellationToken cancellation) =>
    await AppendAsync(store, sale, sale.CarId, mustBeForSale: true, cancellation));
app.MapHealthChecks("/health");
app.Run();

// A car is taken in once; it is for sale until it is sold. The answer comes when the list shows it.
static async Task<IResult> AppendAsync(IFileSystemEventStore store, object data, string carId, bool mustBeForSale,
    CancellationToken cancellation)
{
    var isForSale = DecisionProjection.Create((bool?)null, new Tag("car", carId))
        .On<CarTakenIn>((_, _) => true)
        .On<CarSold>((_, _) => false);
    var decided = await store.ExecuteDecisionAsync(isForSale,
        found => found == (mustBeForSale ? true : null) ? [new NewEvent(data)] : [], cancellationToken: cancellation);
    if (decided.Appended is not { } appended)
        return Results.Conflict(mustBeForSale ? "The car is not for sale." : "The car was taken in before.");
    await store.Projections[CarList.Name].WaitForAsync(appended.LastPosition, cancellation);
    return Results.Ok(appended.LastPosition);
}
