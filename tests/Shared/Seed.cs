namespace Opossum.Tests;

/// <summary>The number that the random choices of a run's tests come from: a new one for each run, or the one that the environment names.</summary>
internal static class Seed
{
    private const string Variable = "OPOSSUM_TEST_SEED";

    public static int Value { get; } = int.TryParse(Environment.GetEnvironmentVariable(Variable), out var given)
        ? given
        : Random.Shared.Next(1_000_000);

    /// <summary>How a run's choices are made again: an assignment of the environment's variable.</summary>
    public static string Assignment => $"{Variable}={Value}";

    /// <summary>The seed, printed, so that it can be named.</summary>
    public static int Choose(ITestOutputHelper output)
    {
        output.WriteLine(Assignment);
        return Value;
    }
}
