namespace CarDealership;

/// <summary>A car as the list shows it.</summary>
public sealed class CarRow
{
    public required string Id { get; init; }

    public required string Model { get; init; }

    public required int Year { get; init; }

    /// <summary>In euros. SQLite sorts no decimals, so it is a number there.</summary>
    public required double Price { get; set; }

    /// <summary>Null: it is for sale.</summary>
    public DateTimeOffset? SoldAt { get; set; }
}
