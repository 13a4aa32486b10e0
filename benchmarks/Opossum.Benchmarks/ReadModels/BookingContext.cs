using Microsoft.EntityFrameworkCore;

namespace Opossum.Benchmarks.ReadModels;

/// <summary>A table with a row for each event.</summary>
internal sealed class BookingContext(DbContextOptions<BookingContext> options) : DbContext(options)
{
    public DbSet<Booking> Bookings => Set<Booking>();

    public static string ConnectionTo(string path) => $"Data Source={path};Pooling=False";

    /// <summary>Opens a database; makes it, in WAL mode, if it is missing.</summary>
    public static BookingContext Open(string path)
    {
        var options = new DbContextOptionsBuilder<BookingContext>().UseSqlite(ConnectionTo(path)).Options;
        var context = new BookingContext(options);
        context.Database.EnsureCreated();
        return context;
    }

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<Booking>().Property(booking => booking.Id).ValueGeneratedNever();
        modelBuilder.AddOpossumPositions();
    }
}
