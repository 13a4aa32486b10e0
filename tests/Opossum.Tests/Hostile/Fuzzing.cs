using System.Globalization;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Hostile;

/// <summary>Gives a reader bytes that are changed at random, from a seed that it prints, for so many rounds; OPOSSUM_TEST_ALL=1 makes many more.</summary>
internal sealed class Fuzzing(ITestOutputHelper output)
{
    private static int Seed => Environment.GetEnvironmentVariable("OPOSSUM_FUZZ_SEED") is { } seed ? int.Parse(seed, CultureInfo.InvariantCulture) : Random.Shared.Next();

    /// <summary>Fails when the reader throws, does not end, or takes all or none of what it reads for good.</summary>
    public void Run(int rounds, byte[][] corpus, Func<byte[], Mutator, bool> reads)
    {
        var seed = Seed;
        var mutator = new Mutator(seed);
        var (round, taken) = (0, 0);
        Exception? failure = null;
        var worker = new Thread(() =>
        {
            try
            {
                for (; round < (Cases.AreAll ? 50 * rounds : rounds); round++)
                    taken += reads(mutator.Change(mutator.Pick(corpus), mutator.Pick(corpus)), mutator) ? 1 : 0;
            }
            catch (Exception e)
            {
                failure = e;
            }
        })
        { IsBackground = true };
        worker.Start();
        var hasEnded = worker.Join(TimeSpan.FromMinutes(Cases.AreAll ? 60 : 5));
        output.WriteLine($"seed {seed}: {round} rounds, in {taken} of which what was read was taken for good");
        Assert.True(hasEnded, $"seed {seed}, round {round}: the reader does not end.");
        Assert.True(failure is null, $"seed {seed}, round {round}: {failure}");
        Assert.InRange(taken, 1, round - 1);
    }
}
