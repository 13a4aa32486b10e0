using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Storage.Transfer;

namespace Opossum.Maintenance;

/// <summary>Writes events as lines of text: each event's canonical JSON on a line, in the order of positions.</summary>
/// <remarks>
/// docs/storage-format.md describes the canonical text. It holds everything that an event's file holds, so <see cref="StoreImport"/> keeps ids,
/// times, versions, metadata and which events were appended together. Other processes can append meanwhile; the store is only read.
/// </remarks>
public static class StoreExport
{
    /// <summary>Exports the events of the store in a folder.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="output">Receives the lines, in UTF-8; each ends with a line feed. It is flushed and left open.</param>
    /// <param name="query">The events to export. Null, the default: all events.</param>
    /// <param name="options">The range of positions, and the limit. Null, the default: all. An export is never backwards.</param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Stops the export between two events.</param>
    /// <exception cref="ArgumentException">
    /// The options ask for events backwards, or the query has a <see cref="Tag.Pseudonym"/>: an export has no keys. An event that was read carries
    /// the tag by which it can be exported.
    /// </exception>
    /// <exception cref="StoreOpenException">The path is not a store.</exception>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    /// <exception cref="StoreDamagedException">An event cannot be read.</exception>
    public static Task<ExportReport> RunAsync(string path, Stream output, Query? query = null, ReadOptions? options = null,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentNullException.ThrowIfNull(output);
        options ??= ReadOptions.Default;
        if (options.Backwards)
            throw new ArgumentException("An export has the events in the order of their positions.", nameof(options));
        if (query?.HasPseudonyms == true)
        {
            throw new ArgumentException($"An export has no keys, so it finds no pseudonym, as {query} asks for. Read an event with the store, and "
                + "export by the tag that it carries.", nameof(query));
        }
        return Task.Run(() => Run(RealFileSystem.Create(), Path.GetFullPath(path), output, query ?? Query.All, options, TimeProvider.System, progress,
            cancellationToken), cancellationToken);
    }

    internal static ExportReport Run(IFileSystem fileSystem, StoreLayout layout, Stream output, Query query, ReadOptions options,
        TimeProvider clock, IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default) =>
        new ExportRun(fileSystem, layout, query, options, CarefulProgress.Of(progress, NullLogger.Instance), cancellationToken).Run(output, clock);
}
