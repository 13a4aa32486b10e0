namespace Opossum.Benchmarks.Soak;

/// <summary>What a soak came to.</summary>
/// <param name="Rows">Its rounds.</param>
/// <param name="Appended">How many events both processes were told to be stored.</param>
/// <param name="Refused">How many appends were refused by their conditions.</param>
/// <param name="Reopened">How often the store was opened anew beside the one that was open all the time.</param>
/// <param name="IndexBytes">The managed memory of an open store of that many events.</param>
/// <param name="Check">What a check of the store said in the end.</param>
internal sealed record SoakResult(IReadOnlyList<SoakRow> Rows, long Appended, int Refused, int Reopened, long IndexBytes, StoreCheckReport Check)
{
    public long Events => Rows[^1].Head;
}
