namespace Opossum.ProcessTests.Worker;

/// <summary>Where in an append of three events a process halts.</summary>
public enum HaltPlace
{
    /// <summary>The first event file is created, and is to be written.</summary>
    BeforeFirstWrite,

    /// <summary>The second event file is to be created.</summary>
    BeforeSecondFile,

    /// <summary>The third event file is to be created.</summary>
    BeforeThirdFile,

    /// <summary>All event files are flushed, but the index does not show them.</summary>
    BehindFlush,
}
