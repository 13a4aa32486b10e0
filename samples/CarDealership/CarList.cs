using Microsoft.EntityFrameworkCore;
using Opossum;

namespace CarDealership;

/// <summary>Keeps the rows, and reads pages of them.</summary>
internal static class CarList
{
    public const string Name = "cars";
    public const int RowsAPage = 20;

    public static void Keep(DbProjection<CarContext> cars) => cars
        .On<CarTakenIn>(async (db, e, cancellation) => await db.Cars.AddAsync(
            new CarRow { Id = e.CarId, Model = e.Model, Year = e.Year, Price = (double)e.Price }, cancellation))
        .On<PriceChanged>(async (db, e, cancellation) =>
        {
            if (await db.Cars.FindAsync([e.CarId], cancellation) is { } car)
                car.Price = (double)e.Price;
        })
        .On<CarSold>(async (db, data, e, cancellation) =>
        {
            if (await db.Cars.FindAsync([data.CarId], cancellation) is { } car)
                car.SoldAt = e.Timestamp;
        })
        .Clear((db, cancellation) => db.Cars.ExecuteDeleteAsync(cancellation));

    /// <summary>One page of the cars for sale, sorted and filtered by the database.</summary>
    public static async Task<(IReadOnlyList<CarRow> Cars, int Count)> ReadAsync(CarContext db, CarQuery query,
        CancellationToken cancellation)
    {
        var cars = db.Cars.AsNoTracking().Where(car => car.SoldAt == null);
        if (query.Model is { Length: > 0 } model)
            cars = cars.Where(car => car.Model.Contains(model));
        if (query.PriceUpTo is { } most)
            cars = cars.Where(car => car.Price <= most);
        var count = await cars.CountAsync(cancellation);
        cars = query.Sort switch
        {
            CarSort.Model => cars.OrderBy(car => car.Model).ThenBy(car => car.Id),
            CarSort.Year => cars.OrderByDescending(car => car.Year).ThenBy(car => car.Id),
            _ => cars.OrderBy(car => car.Price).ThenBy(car => car.Id),
        };
        return (await cars.Skip((query.PageNumber - 1) * RowsAPage).Take(RowsAPage).ToListAsync(cancellation), count);
    }
}
