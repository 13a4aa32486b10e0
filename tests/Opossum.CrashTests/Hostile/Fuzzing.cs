using System.Diagnostics;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Hostile;

/// <summary>
/// Gives a reader bytes that are changed at random, from a seed that it prints, for as long as a suite has time; OPOSSUM_TEST_ALL=1 makes
/// all rounds.
/// </summary>
internal sealed class Fuzzing(ITestOutputHelper output)
{
    /// <summary>Fails when the reader throws, or takes all or none of what it reads for good.</summary>
    /// <param name="all">How many rounds there are when all are asked for.</param>
    /// <param name="corpus">What is changed.</param>
    /// <param name="reads">Reads the changed bytes; returns whether it took them for good.</param>
    /// <param name="share">The part of a suite's time that it takes.</param>
    public void Run(int all, byte[][] corpus, Func<byte[], Mutator, bool> reads, double share = 1)
    {
        var mutator = new Mutator(Seed.Value);
        var (round, taken) = (0, 0);
        var clock = Stopwatch.StartNew();
        try
        {
            while (round < all && (Cases.AreAllPlayed || clock.Elapsed < share * Cases.Share || taken == 0 || taken == round))
            {
                taken += reads(mutator.Change(mutator.Pick(corpus), mutator.Pick(corpus)), mutator) ? 1 : 0;
                round++;
            }
        }
        catch (Exception e)
        {
            Assert.Fail($"{Seed.Assignment}, round {round}: {e}");
        }
        output.WriteLine($"{Seed.Assignment}: {round} rounds, in {taken} of which what was read was taken for good");
        Assert.InRange(taken, 1, round - 1);
    }
}
