using Opossum.Tests.Durability;

namespace Opossum.Tests.Hostile;

/// <summary>
/// Gives a reader bytes that are changed at random, from a seed that it prints, for so many rounds; OPOSSUM_TEST_ALL=1 makes many more.
/// </summary>
internal sealed class Fuzzing(ITestOutputHelper output)
{
    /// <summary>Fails when the reader throws, does not end, or takes all or none of what it reads for good.</summary>
    public void Run(int rounds, byte[][] corpus, Func<byte[], Mutator, bool> reads)
    {
        var seed = Seed.Assignment;
        var mutator = new Mutator(Seed.Value);
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
        output.WriteLine($"{seed}: {round} rounds, in {taken} of which what was read was taken for good");
        Assert.True(hasEnded, $"{seed}, round {round}: the reader does not end.");
        Assert.True(failure is null, $"{seed}, round {round}: {failure}");
        Assert.InRange(taken, 1, round - 1);
    }
}
