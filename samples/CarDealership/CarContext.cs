using Microsoft.EntityFrameworkCore;
using Opossum;

namespace CarDealership;

/// <summary>The database of the list. An app with migrations creates it by them.</summary>
public sealed class CarContext(DbContextOptions<CarContext> options) : DbContext(options)
{
    public DbSet<CarRow> Cars => Set<CarRow>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.AddOpossumPositions();
        modelBuilder.Entity<CarRow>().HasIndex(car => car.Price);
    }
}
