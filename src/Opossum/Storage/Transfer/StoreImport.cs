using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Storage.Transfer;

namespace Opossum.Maintenance;

/// <summary>Stores events that <see cref="StoreExport"/> wrote, or a program in the same form.</summary>
/// <remarks>
/// <para>
/// Events keep their order, ids, times, versions, tags and metadata, and events that were appended together are stored together; positions are
/// new. An event that the store has is not stored again, so an import that was interrupted is made again and continues, and a second import
/// adds nothing. An event with the id of another one is stored only if the input has both. Other processes can append meanwhile.
/// </para>
/// <para>
/// The members of a line are those of an event file, in the same order; see docs/storage-format.md. Neighbouring lines with the same
/// <c>commit</c> and <c>timestamp</c> are one append. The checksum may be missing; one that does not fit is refused.
/// </para>
/// <para>
/// The import keeps the ids of the store's events in memory, about 50 bytes each; and if the input cannot seek, the paths of the members that its
/// lines have in plain, unless <see cref="ImportOptions.AllowPlain"/> is set.
/// </para>
/// </remarks>
public static class StoreImport
{
    /// <summary>Imports events into the store in a folder.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="input">The lines, in UTF-8. It is read to its end and left open; one that can seek is read twice. Empty lines are
    /// skipped.</param>
    /// <param name="options">The options. Null, the default: all defaults.</param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Stops the import between two groups of appends. What is stored stays, and the next import continues from
    /// there.</param>
    /// <exception cref="StoreMaintenanceException">
    /// A line is refused: it is no event, the store has another event with its id, which the input does not have, or it has personal data in plain.
    /// If the input cannot seek, and only a later line shows that a member is personal, the later line is refused.
    /// </exception>
    /// <exception cref="StoreOpenException">The path is not a store.</exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process held the store's lock for a minute.</exception>
    /// <exception cref="StoreIOException">The disk refused a write or a read. The appends before are stored.</exception>
    /// <exception cref="StoreFaultedException">A flush failed. Import again to find out what is stored, and to store the rest.</exception>
    public static Task<ImportReport> RunAsync(string path, Stream input, ImportOptions? options = null,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentNullException.ThrowIfNull(input);
        var checks = new OptionsChecks(nameof(ImportOptions));
        checks.Path(options?.KeysFolder, "the folder of the persons' keys", nameof(ImportOptions.KeysFolder));
        checks.ThrowIfAny(nameof(options));
        return Task.Run(() => Run(RealFileSystem.Create(), Path.GetFullPath(path), input, options, TimeProvider.System, progress, cancellationToken),
            cancellationToken);
    }

    internal static ImportReport Run(IFileSystem fileSystem, StoreLayout layout, Stream input, ImportOptions? options, TimeProvider clock,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        try
        {
            using var target = ImportTarget.Open(fileSystem, layout, options ?? new ImportOptions(), clock);
            return new ImportRun(target, CarefulProgress.Of(progress, NullLogger.Instance), cancellationToken).Run(input);
        }
        catch (FileSystemException e)
        {
            throw new StoreIOException(e.Path, $"The import into {layout.Root} was not completed. {e.Message} Check that the disk or the share can "
                + "be reached, and import again: what is stored is not stored again.", e);
        }
    }
}
