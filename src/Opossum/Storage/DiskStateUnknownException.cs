using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>The written files could be neither made durable nor reliably removed: the state of the disk is unknown.</summary>
internal sealed class DiskStateUnknownException(FileSystemException cause) : Exception(cause.Message, cause)
{
    public FileSystemException Cause { get; } = cause;

    /// <summary>Runs a flush and turns its failure into this exception.</summary>
    public static void Guard(Action flush) => Guard(flush, static flush => flush());

    /// <summary>The same without a closure, for the path of every append.</summary>
    public static void Guard<T>(T target, Action<T> flush)
    {
        try
        {
            flush(target);
        }
        catch (FileSystemException e)
        {
            throw new DiskStateUnknownException(e);
        }
    }
}
