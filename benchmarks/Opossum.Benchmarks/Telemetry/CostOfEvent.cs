using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Telemetry;

/// <summary>What an event of a grouped append costs, a value a round.</summary>
/// <param name="Time">In microseconds.</param>
/// <param name="ProcessorTime">Of all threads of the process, in microseconds.</param>
/// <param name="Allocated">By all threads of the process, in bytes.</param>
internal sealed record CostOfEvent(Distribution Time, Distribution ProcessorTime, Distribution Allocated)
{
    public static CostOfEvent Of(IReadOnlyList<TelemetryCost.Cost> rounds) => new(
        new Distribution(rounds.Select(static round => round.Time)), new Distribution(rounds.Select(static round => round.ProcessorTime)),
        new Distribution(rounds.Select(static round => round.Allocated)));
}
