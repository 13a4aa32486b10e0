namespace Opossum.Testing.Simulated;

/// <summary>A power cut; the seed makes the choices in the modes that have choices.</summary>
internal sealed record PowerCut(PowerCutMode Mode, int Seed = 0)
{
    /// <summary>Returns one power cut of each mode, and the given number of those that make choices, with consecutive seeds.</summary>
    public static IEnumerable<PowerCut> Each(int seeds, int from = 1)
    {
        yield return new PowerCut(PowerCutMode.KeepsAll);
        yield return new PowerCut(PowerCutMode.LosesAll);
        yield return new PowerCut(PowerCutMode.LosesNames);
        yield return new PowerCut(PowerCutMode.LosesBytes);
        yield return new PowerCut(PowerCutMode.ZeroesBytes);
        for (var seed = from; seed < from + seeds; seed++)
        {
            yield return new PowerCut(PowerCutMode.Random, seed);
            yield return new PowerCut(PowerCutMode.Tears, seed);
        }
    }
}
