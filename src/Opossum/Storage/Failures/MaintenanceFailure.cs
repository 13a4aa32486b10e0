using Opossum.FileSystem;

namespace Opossum.Storage.Failures;

/// <summary>What keeps work from its end that is done on a store's folder, and not by an open store.</summary>
internal static class MaintenanceFailure
{
    /// <summary>Runs the work, and names what failed.</summary>
    /// <param name="what">What a failure means, as the beginning of a sentence that the cause ends.</param>
    /// <param name="isTransient">Whether the same call may succeed later.</param>
    /// <exception cref="StoreMaintenanceException">A file operation failed.</exception>
    public static T Guard<T>(string folder, string what, string next, Func<T> work,
        bool isTransient = true)
    {
        try
        {
            return work();
        }
        catch (Exception e) when (e is FileSystemException or DiskStateUnknownException or LockLostException
            or PersonalDataException { InnerException: FileSystemException })
        {
            var cause = e as FileSystemException ?? e.InnerException as FileSystemException;
            var advice = cause?.Error switch
            {
                FileError.DiskFull => " Free some space there.",
                FileError.TooManyOpenFiles => " Close files or raise the process's limit.",
                FileError.InUse => $" {FileSystemException.InUseAdvice}",
                FileError.AccessDenied or FileError.ReadOnly => " Give this process the right to read and to write there.",
                _ => "",
            };
            throw new StoreMaintenanceException(cause?.Path ?? folder, $"{what}: {e.Message}{advice} {next}", e, isTransient);
        }
    }
}
