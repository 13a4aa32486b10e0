namespace Opossum.FileSystem;

/// <summary>How a group of files is made durable; see docs/decisions/0007.</summary>
internal enum FlushWay
{
    /// <summary>The bytes by ranges; a flush of the file that was changed last does the rest, for a journal keeps the order.</summary>
    Ranges,

    /// <summary>By a flush of the whole file system.</summary>
    Whole,

    /// <summary>By a flush of each file, and of its folder where that does not cover its name.</summary>
    Each,
}
