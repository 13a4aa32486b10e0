namespace Opossum.Tests.Durability;

/// <summary>What the caller of an append was told.</summary>
internal enum Answer
{
    /// <summary>Nothing: the power was cut or the process killed before.</summary>
    None,

    Stored,

    /// <summary>Any error that says that nothing was written.</summary>
    NothingWritten,

    /// <summary>The error says that it is not known.</summary>
    Unknown,
}
