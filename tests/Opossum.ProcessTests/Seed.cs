namespace Opossum.ProcessTests;

/// <summary>The number that a test's random choices come from.</summary>
internal static class Seed
{
    private const string Variable = "OPOSSUM_TEST_SEED";

    /// <summary>A new one, or the one the environment names; printed, so that it can be named.</summary>
    public static int Choose(ITestOutputHelper output)
    {
        var seed = int.TryParse(Environment.GetEnvironmentVariable(Variable), out var given) ? given : Random.Shared.Next(1_000_000);
        output.WriteLine($"{Variable}={seed}");
        return seed;
    }
}
