namespace Opossum.FileSystem;

/// <summary>How a file is opened. Other programs are never kept from opening it at the same time.</summary>
internal enum FileOpening
{
    Read,
    ReadWrite,
    ReadWriteOrCreate,

    /// <summary>For writes that have reached the server and are durable when the call returns (O_SYNC).</summary>
    WriteThrough,

    /// <summary>
    /// The same for a file to be locked: as far as the system allows, no other process shares the handle, so closing it releases the locks
    /// taken through it.
    /// </summary>
    LockOrCreate,

    /// <summary>The same for an existing file: after a mount is lost, no file is created in the folder below it.</summary>
    Lock,
}
