using Microsoft.EntityFrameworkCore;

namespace Opossum.ProcessTests.Worker;

/// <summary>Rows that show an event that counts twice, or not at all: one for each, and what they add up to.</summary>
internal sealed class SalesContext(DbContextOptions<SalesContext> options) : DbContext(options)
{
    public DbSet<SaleRow> Sales => Set<SaleRow>();

    public DbSet<SalesTotal> Totals => Set<SalesTotal>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<SaleRow>().Property(row => row.Id).ValueGeneratedNever();
        modelBuilder.Entity<SalesTotal>().HasKey(total => total.Seller);
        modelBuilder.AddOpossumPositions();
    }
}
