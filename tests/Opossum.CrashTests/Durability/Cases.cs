using System.Diagnostics;
using System.Globalization;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>
/// Tries the cases of a suite. A usual run draws them, other ones in each run, until the suite's share of time is used up; a full one
/// tries them all.
/// </summary>
internal static class Cases
{
    /// <summary>What the tests count that cut the power.</summary>
    public const string PowerCuts = "power cuts tried";

    private const int NamedMax = 5;
    private const int PowerCutsDrawn = 2;
    private const string SecondsVariable = "OPOSSUM_TEST_SECONDS";

    /// <summary>
    /// Whether the environment asks for the full set, not for cases that a run has time for. It has every case of most groups; of the others
    /// it has a few of each kind, such as of those in which the same operation fails first.
    /// </summary>
    public static bool AreAll { get; } = Environment.GetEnvironmentVariable("OPOSSUM_TEST_ALL") == "1";

    /// <summary>Whether the full set is played to its end; else cases are drawn from it for a time, which shows how long it takes.</summary>
    public static bool AreAllPlayed { get; } = AreAll && Environment.GetEnvironmentVariable(SecondsVariable) is null;

    /// <summary>How long each suite draws cases: half a second, or those that the environment names.</summary>
    public static TimeSpan Share { get; } =
        double.TryParse(Environment.GetEnvironmentVariable(SecondsVariable), CultureInfo.InvariantCulture, out var seconds)
            ? TimeSpan.FromSeconds(seconds)
            : TimeSpan.FromSeconds(0.5);

    /// <summary>
    /// The power cuts that are tried at an operation: those of all kinds when all are asked for; else the one that takes the most, and some
    /// that are others at each operation and in each run, so that time is left for more operations.
    /// </summary>
    public static IEnumerable<PowerCut> PowerCutsAt(int operation)
    {
        if (AreAll)
            return PowerCut.Each(seeds: 2);
        var random = new Random(Seed.Value + operation);
        PowerCut[] others = [.. PowerCut.Each(seeds: 1, from: random.Next()).Where(static each => each.Mode != PowerCutMode.LosesAll)];
        random.Shuffle(others);
        return [new(PowerCutMode.LosesAll), .. others.Take(PowerCutsDrawn)];
    }

    /// <summary>How many of something are tried where each is no case of its own.</summary>
    public static int Number(int usually, int all) => AreAll ? all : usually;

    /// <summary>Tries cases of one group; see the other overload.</summary>
    public static void TryEach<T>(IReadOnlyList<T> cases, Func<T, int> attempt, ITestOutputHelper output, string counted = "states of the disk",
        double share = 1) => TryEach([new CaseGroup<T>(() => cases)], attempt, output, counted, share);

    /// <summary>
    /// Tries cases that a seed makes: the first ones when all are asked for, else others in each run, for as long as there is time.
    /// </summary>
    /// <param name="all">How many there are when all are asked for.</param>
    /// <param name="attempt">Throws when the case fails. Returns how many states of the disk it looked at.</param>
    /// <param name="output">Is told how many were tried.</param>
    /// <param name="counted">What its states are.</param>
    /// <param name="share">The part of the suite's time that it takes.</param>
    public static void TrySeeds(int all, Func<int, int> attempt, ITestOutputHelper output, string counted = "states of the disk",
        double share = 1) =>
        TryEach([new CaseGroup<int>(() => AreAllPlayed ? [.. Enumerable.Range(1, all)] : [.. Enumerable.Range(Seed.Value + 1, all)])],
            attempt, output, counted, share);

    /// <summary>Tries cases on the caller's thread, and names those that fail; fails when one does, or when there was none.</summary>
    /// <param name="groups">
    /// The cases. A case of each group is drawn in turn, so the order depends on the seed alone, and only their number on the time.
    /// </param>
    /// <param name="attempt">Throws when the case fails. Returns how many states of the disk it looked at.</param>
    /// <param name="output">Is told how many were tried.</param>
    /// <param name="counted">What its states are; .ci/run adds up those of <see cref="PowerCuts"/>.</param>
    /// <param name="share">The part of the suite's time that it takes.</param>
    public static void TryEach<T>(IEnumerable<CaseGroup<T>> groups, Func<T, int> attempt, ITestOutputHelper output,
        string counted = "states of the disk", double share = 1)
    {
        CaseGroup<T>[] all = [.. groups];
        var random = new Random(Seed.Value);
        random.Shuffle(all);
        var failures = new List<string>();
        var states = 0;
        var clock = Stopwatch.StartNew();
        foreach (var drawn in Draw(all, random))
        {
            try
            {
                states += attempt(drawn);
            }
            catch (Exception e)
            {
                failures.Add($"{drawn}: {e}");
            }
            if (!AreAllPlayed && clock.Elapsed >= share * Share)
                break;
        }
        var seconds = clock.Elapsed.TotalSeconds;
        if (AreAll)
            Array.ForEach(all, static each => each.Prepare());
        var tried = all.Sum(static each => each.Drawn);
        var known = all.Where(static each => each.CountOfAll > 0).ToList();
        output.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"{counted}: {states} ({Seed.Assignment}, cases: {tried} of {known.Sum(static each => each.Count)} of "
                + $"{known.Sum(static each => (long)each.CountOfAll)} in {known.Count} of {all.Length} groups, {seconds:0.0} s)"));
        Assert.True(tried > 0, "There was no case.");
        if (failures.Count > 0)
        {
            Assert.Fail($"{failures.Count} of {tried} cases failed; {Seed.Assignment} draws the same ones again. "
                + $"{string.Join(Environment.NewLine + Environment.NewLine, failures.Take(NamedMax))}");
        }
    }

    private static IEnumerable<T> Draw<T>(CaseGroup<T>[] groups, Random random)
    {
        for (var round = 0; !Array.TrueForAll(groups, static each => each.IsEmpty); round++)
        {
            foreach (var group in groups)
            {
                if ((AreAllPlayed || group.HasTurn(round)) && group.TryDraw(random, out var drawn))
                    yield return drawn;
            }
        }
    }
}
