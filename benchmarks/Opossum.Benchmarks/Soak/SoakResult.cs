using Opossum.Maintenance;

namespace Opossum.Benchmarks.Soak;

/// <summary>The result of a soak.</summary>
/// <param name="Rows">Its rounds.</param>
/// <param name="Appended">The number of events reported as stored to both processes.</param>
/// <param name="Refused">The number of appends refused by their conditions.</param>
/// <param name="Reopened">The number of times the store was opened in addition to the instance that stayed open.</param>
/// <param name="IndexBytes">The managed memory of an open store of that many events.</param>
/// <param name="Status">The store's status in the end.</param>
/// <param name="Check">The result of the final store check.</param>
internal sealed record SoakResult(IReadOnlyList<SoakRow> Rows, long Appended, int Refused, int Reopened, long IndexBytes, StoreStatus Status,
    StoreCheckReport Check)
{
    public long Events => Rows[^1].Head;
}
