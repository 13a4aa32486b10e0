namespace Opossum.FileSystem;

/// <summary>For what a file is opened. Nothing is ever denied to others that open it at the same time.</summary>
internal enum FileOpening
{
    Read,
    ReadWrite,
    ReadWriteOrCreate,

    /// <summary>
    /// The same for a file that is to be locked: no other process has the handle in common, as far as the system allows that, so closing it
    /// frees what was locked through it.
    /// </summary>
    LockOrCreate,
}
