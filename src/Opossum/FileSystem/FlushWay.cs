namespace Opossum.FileSystem;

/// <summary>The ways to make a group of files durable; see docs/decisions/0007.</summary>
internal enum FlushWay
{
    /// <summary>The bytes by ranges; a flush of the file changed last does the rest, because a journal keeps the order.</summary>
    Ranges,

    /// <summary>By a flush of the whole file system.</summary>
    Whole,

    /// <summary>By a flush of each file, and of its folder where that does not cover its name.</summary>
    Each,
}
