namespace Opossum.FileSystem.Simulated;

/// <summary>What a power cut takes of that which was not flushed.</summary>
internal enum PowerCutMode
{
    KeepsAll,
    LosesAll,

    /// <summary>All names are kept; files have the length and the bytes of their last flush.</summary>
    LosesBytes,

    /// <summary>All names are kept; files have the length they were written to, and zeros where they have grown.</summary>
    ZeroesBytes,

    /// <summary>Some names; each file as it was at some moment since its last flush, or lengthened by zeros.</summary>
    Random,

    /// <summary>Some names; each unit of 512 bytes of each file as it was at some moment since its last flush.</summary>
    Tears,
}

/// <summary>A power cut; the seed makes the choices of the modes that leave some.</summary>
internal sealed record PowerCut(PowerCutMode Mode, int Seed = 0)
{
    /// <summary>One of each kind, and as many as asked of those that choose.</summary>
    public static IEnumerable<PowerCut> Each(int seeds)
    {
        yield return new PowerCut(PowerCutMode.KeepsAll);
        yield return new PowerCut(PowerCutMode.LosesAll);
        yield return new PowerCut(PowerCutMode.LosesBytes);
        yield return new PowerCut(PowerCutMode.ZeroesBytes);
        for (var seed = 1; seed <= seeds; seed++)
        {
            yield return new PowerCut(PowerCutMode.Random, seed);
            yield return new PowerCut(PowerCutMode.Tears, seed);
        }
    }
}
