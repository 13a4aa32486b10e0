using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Storage.Check;

namespace Opossum.Maintenance;

/// <summary>Reads a whole store and reports everything that is wrong with it. Changes nothing; other processes can keep using the store.</summary>
/// <remarks>
/// Files in the Quarantine folder are counted, not read. docs/operations.md explains each finding and what to do about it.
/// The check takes no lock on read-only media: if another process appends through another mount at that moment, the last append may appear
/// incomplete. It takes no lock either if this user cannot write the lock file. In that case it does not read past the end of the index,
/// because an append may be under way there.
/// </remarks>
public static class StoreCheck
{
    /// <summary>Its name in messages, for code and for users of the command line.</summary>
    internal const string InWords = $"{nameof(StoreCheck)} (opossum check)";

    /// <summary>Checks the store in a folder.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="keysFolder">The folder of keys, as in <see cref="PersonalDataOptions.KeysFolder"/>. Null, the default: the store's own.</param>
    /// <param name="progress">Receives the progress of the check. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Cancels the check.</param>
    /// <exception cref="StoreOpenException">The folder does not exist, cannot be read, or is not a store of a known format.</exception>
    /// <exception cref="StoreLockTimeoutException">The lock, which the check takes briefly to find the end, was not free within a minute.</exception>
    public static Task<StoreCheckReport> RunAsync(string path, string? keysFolder = null, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        if (keysFolder is not null)
            ArgumentException.ThrowIfNullOrWhiteSpace(keysFolder);
        var keys = keysFolder is null ? null : Path.GetFullPath(keysFolder);
        return Task.Run(() => RealFileSystem.Use(fileSystem =>
            Run(fileSystem, Path.GetFullPath(path), progress, keys, cancellationToken)), cancellationToken);
    }

    internal static StoreCheckReport Run(IFileSystem fileSystem, StoreLayout layout, IProgress<StoreProgress>? progress = null,
        string? keysFolder = null, CancellationToken cancellationToken = default)
    {
        try
        {
            return new StoreChecker(fileSystem, layout, keysFolder).Run(CarefulProgress.Of(progress, NullLogger.Instance), cancellationToken);
        }
        catch (FileSystemException e)
        {
            throw new StoreOpenException(e.Path, $"The store in {layout.Root} cannot be checked. {e.Message}", e);
        }
    }
}
