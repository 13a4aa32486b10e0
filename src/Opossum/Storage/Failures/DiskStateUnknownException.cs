using Opossum.FileSystem;

namespace Opossum.Storage.Failures;

/// <summary>The written files could be neither made durable nor reliably removed: the state of the disk is unknown.</summary>
internal sealed class DiskStateUnknownException(FileSystemException cause) : Exception(cause.Message, cause)
{
    public FileSystemException Cause { get; } = cause;
}
