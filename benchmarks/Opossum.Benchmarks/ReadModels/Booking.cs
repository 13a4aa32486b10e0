namespace Opossum.Benchmarks.ReadModels;

/// <summary>The row of an event.</summary>
internal sealed class Booking
{
    public required long Id { get; init; }

    public required int Number { get; init; }

    public required int Amount { get; init; }

    public required string Text { get; init; }
}
