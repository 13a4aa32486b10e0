using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>What was written could be neither made durable nor, for certain, taken back: the state of the disk is not known.</summary>
internal sealed class DiskStateUnknownException(FileSystemException cause) : Exception(cause.Message, cause)
{
    public FileSystemException Cause { get; } = cause;

    /// <summary>Flushes; a failure is this exception.</summary>
    public static void Guard(Action flush)
    {
        try
        {
            flush();
        }
        catch (FileSystemException e)
        {
            throw new DiskStateUnknownException(e);
        }
    }
}
