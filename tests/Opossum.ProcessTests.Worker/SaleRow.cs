namespace Opossum.ProcessTests.Worker;

internal sealed class SaleRow
{
    /// <summary>The position of the event.</summary>
    public long Id { get; init; }

    public required string Seller { get; init; }
}
