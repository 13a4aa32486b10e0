using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.ShopFloor;

/// <summary>The latencies of all events of a contender, in microseconds.</summary>
internal sealed record Latencies(string Contender, Distribution Microseconds);
