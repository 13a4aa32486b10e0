using Microsoft.EntityFrameworkCore;
using Opossum.Projections.States;

namespace Opossum;

/// <summary>Adds what projections into a database need to the model of a context.</summary>
public static class OpossumModelBuilderExtensions
{
    /// <summary>
    /// Adds the table <c>opossum_positions</c>, with a row for each projection: how far it is, and in which term of which leader. Call it in
    /// <c>OnModelCreating</c>; the app's next migration creates the table.
    /// </summary>
    /// <param name="model">The builder of the model.</param>
    /// <returns>The same builder.</returns>
    public static ModelBuilder AddOpossumPositions(this ModelBuilder model)
    {
        ArgumentNullException.ThrowIfNull(model);
        return model.Entity<PositionRow>(row =>
        {
            row.ToTable(PositionRow.Table);
            row.HasKey(each => each.Name);
            row.Property(each => each.Name).HasColumnName("name").HasMaxLength(NameLengthMax);
            row.Property(each => each.Store).HasColumnName("store");
            row.Property(each => each.Version).HasColumnName("version");
            row.Property(each => each.Term).HasColumnName("term");
            row.Property(each => each.Position).HasColumnName("position");
            row.Property(each => each.EventId).HasColumnName("event_id");
            row.Property(each => each.Target).HasColumnName("target");
            row.Property(each => each.FaultPosition).HasColumnName("fault_position");
            row.Property(each => each.FaultType).HasColumnName("fault_type");
            row.Property(each => each.FaultError).HasColumnName("fault_error");
            row.Property(each => each.FaultAt).HasColumnName("fault_at");
        });
    }

    private const int NameLengthMax = 63;
}
