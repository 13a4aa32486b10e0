using System.Collections.Concurrent;
using System.Diagnostics;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>Tries many cases on threads of its own, where nothing waits for a free one, and names those that fail.</summary>
internal static class Cases
{
    /// <summary>What the tests count that cut the power.</summary>
    public const string PowerCuts = "power cuts tried";

    private const int NamedMax = 5;

    // All samples are thinned by this, so that all tests together end within three minutes on two cores.
    private const int Thinning = 36;

    /// <summary>Whether the environment asks for every combination (minutes), not only for those of every run (seconds).</summary>
    public static bool AreAll { get; } = Environment.GetEnvironmentVariable("OPOSSUM_TEST_ALL") == "1";

    /// <summary>
    /// All cases when all are asked for; else one of <see cref="Thinning"/> times as many, drawn from each run of neighbours by the run's
    /// <see cref="Seed"/>: which ones changes from run to run, and they are the same again when the environment names the seed.
    /// </summary>
    /// <param name="all">The cases.</param>
    /// <param name="oneOf">Of how many, before they are thinned, one is tried.</param>
    /// <param name="oneOfAll">The same when all are asked for: more than 1 where all of them would take hours.</param>
    public static List<T> Some<T>(IEnumerable<T> all, int oneOf, int oneOfAll = 1) => Draw(all, AreAll ? oneOfAll : Thinning * oneOf);

    /// <summary>
    /// All probes when all are asked for; else one of each run of so many, drawn by the <see cref="Seed"/>. A probe is tried to learn the operations
    /// at which its cases begin.
    /// </summary>
    public static List<T> SomeProbes<T>(IEnumerable<T> all, int oneOf) => Draw(all, AreAll ? 1 : oneOf);

    private static List<T> Draw<T>(IEnumerable<T> all, int oneOf)
    {
        var random = new Random(Seed.Value);
        return [.. all.Chunk(oneOf).Select(chunk => chunk[random.Next(chunk.Length)])];
    }

    /// <summary>Seeds for cases that are random themselves: the first ones when all are asked for, else as many others in each run.</summary>
    public static IEnumerable<int> Seeds(int usually, int all) => AreAll ? Enumerable.Range(1, all) : Enumerable.Range(Seed.Value + 1, usually);

    /// <summary>A power cut of each kind; those that are random are others in each run.</summary>
    public static IEnumerable<PowerCut> EachPowerCut() => AreAll ? PowerCut.Each(seeds: 3) : PowerCut.Each(seeds: 1, from: Seed.Value + 1);

    /// <summary>
    /// Whether the power is cut during the operation: after each, and in the middle of a write. In the middle of any other is after the one
    /// before.
    /// </summary>
    public static IEnumerable<bool> CutsAround(SimulatedOperation operation) => operation.Kind == OperationKind.Write ? [false, true] : [false];

    /// <summary>Tries each case; fails when one does, or when there was none.</summary>
    /// <param name="cases">The cases; what they print as names them in a failure.</param>
    /// <param name="attempt">Throws when the case fails. Returns how many states of the disk it looked at.</param>
    /// <param name="output">Is told how many there were.</param>
    /// <param name="counted">What its states are; .ci/run adds up those of <see cref="PowerCuts"/>.</param>
    public static void TryEach<T>(IReadOnlyCollection<T> cases, Func<T, int> attempt, ITestOutputHelper output, string counted = "states of the disk")
    {
        var left = new ConcurrentQueue<T>(cases);
        var failures = new ConcurrentQueue<string>();
        var states = 0;
        var clock = Stopwatch.StartNew();
        var threads = Enumerable.Range(0, Math.Min(Environment.ProcessorCount, 8)).Select(_ => new Thread(Work)).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        output.WriteLine($"{counted}: {states} ({Seed.Assignment}, cases: {cases.Count}, {clock.Elapsed.TotalSeconds:0.0} s)");
        Assert.NotEmpty(cases);
        if (!failures.IsEmpty)
        {
            Assert.Fail($"{failures.Count} of {cases.Count} cases failed; {Seed.Assignment} draws the same ones again. "
                + $"{string.Join(Environment.NewLine + Environment.NewLine, failures.Take(NamedMax))}");
        }

        void Work()
        {
            while (left.TryDequeue(out var each))
            {
                try
                {
                    Interlocked.Add(ref states, attempt(each));
                }
                catch (Exception e)
                {
                    failures.Enqueue($"{each}: {e}");
                }
            }
        }
    }
}
