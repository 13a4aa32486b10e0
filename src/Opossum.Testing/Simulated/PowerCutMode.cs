namespace Opossum.Testing.Simulated;

/// <summary>What a power cut removes of the changes that were not flushed.</summary>
internal enum PowerCutMode
{
    KeepsAll,
    LosesAll,

    /// <summary>All bytes are kept in files whose names were flushed; no other name is kept.</summary>
    LosesNames,

    /// <summary>All names are kept; files have the length and the bytes of their last flush.</summary>
    LosesBytes,

    /// <summary>All names are kept; files have their written length, with zeros where they have grown.</summary>
    ZeroesBytes,

    /// <summary>Some names; each file as it was at some moment since its last flush, or lengthened by zeros.</summary>
    Random,

    /// <summary>Some names; each unit of 512 bytes of each file as it was at some moment since its last flush.</summary>
    Tears,
}
