using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Ages;

/// <summary>A time, and the one it is compared with, measured in turns.</summary>
internal sealed record AgesPair(Distribution Store, Distribution Other)
{
    public double MedianRatio => Store.Median / Other.Median;

    public double MeanRatio => Store.Mean / Other.Mean;
}
