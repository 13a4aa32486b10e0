namespace Opossum.Benchmarks.Suite;

/// <summary>The sizes that a benchmark is run with.</summary>
internal static class Sizes
{
    private const int MaxOfShortRun = 100;

    /// <summary>Set before the benchmarks are found. The processes of a full run need not know it.</summary>
    public static bool IsShortRun { get; set; }

    /// <summary>Returns all sizes; a short run reduces the large ones.</summary>
    public static IEnumerable<int> Of(params int[] sizes) => sizes.Select(Of).Distinct();

    /// <inheritdoc cref="Of(int[])"/>
    public static int Of(int size) => IsShortRun ? Math.Min(size, MaxOfShortRun) : size;
}
