using Opossum.FileSystem;
using Opossum.Storage.Check;

namespace Opossum;

/// <summary>Reads a whole store and names everything that is wrong with it. Changes nothing; other processes may go on using the store.</summary>
/// <remarks>
/// What was set aside into the folder Quarantine is not looked at. What each finding means and what to do is told in docs/operations.md. On
/// read-only media no lock is taken: if somebody appends by another way at that moment, the last append may seem incomplete. Nor is it by a
/// user who may not write the lock file: then what lies behind the end of the index, which may be an append under way, is not looked at.
/// </remarks>
public static class StoreCheck
{
    /// <summary>Checks the store in a folder.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="progress">Hears how many events have been checked.</param>
    /// <param name="cancellationToken">Ends the check.</param>
    /// <exception cref="StoreOpenException">The folder is not there, cannot be read, or is no store of a known format.</exception>
    /// <exception cref="StoreLockTimeoutException">The lock, needed for a moment to see where the store ends, was not free within a minute.</exception>
    public static Task<StoreCheckReport> RunAsync(string path, IProgress<long>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        return Task.Run(
            () =>
            {
                using var fileSystem = RealFileSystem.Create();
                return Run(fileSystem, Path.GetFullPath(path), progress, cancellationToken);
            },
            cancellationToken);
    }

    internal static StoreCheckReport Run(IFileSystem fileSystem, string root, IProgress<long>? progress = null, CancellationToken cancellationToken = default)
    {
        try
        {
            return new StoreChecker(fileSystem, root).Run(progress, cancellationToken);
        }
        catch (FileSystemException e)
        {
            throw new StoreOpenException(e.Path, $"The store in {root} cannot be checked. {e.Message}", e);
        }
    }
}
