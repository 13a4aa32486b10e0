namespace Opossum.ProcessTests.Worker;

internal sealed class SalesTotal
{
    public required string Seller { get; init; }

    public long Count { get; set; }

    public long Positions { get; set; }
}
