namespace Opossum.FileSystem;

/// <summary>For what a file is opened. Nothing is ever denied to others that open it at the same time.</summary>
internal enum FileOpening
{
    Read,
    ReadWrite,
    ReadWriteOrCreate,
}
