namespace Opossum.FileSystem;

/// <summary>For what a file is opened. Nothing is ever denied to others that open it at the same time.</summary>
internal enum FileOpening
{
    Read,
    ReadWrite,
    ReadWriteOrCreate,

    /// <summary>To write what is with the server, and durable, when the call returns (O_SYNC).</summary>
    WriteThrough,

    /// <summary>
    /// The same for a file that is to be locked: no other process has the handle in common, as far as the system allows that, so closing it
    /// frees what was locked through it.
    /// </summary>
    LockOrCreate,

    /// <summary>The same for a file that is there: where a mount went away, none is created in the folder that lies below it.</summary>
    Lock,
}
