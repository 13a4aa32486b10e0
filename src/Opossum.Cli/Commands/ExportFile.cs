using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Writes an export to a file.</summary>
internal static class ExportFile
{
    /// <summary>Writes it under another name until it is whole and durable, so that a file with this name is never half an export.</summary>
    /// <exception cref="CliException">The file exists.</exception>
    public static async Task<ExportReport> WriteAsync(string store, string path, Query query, ReadOptions range, IProgress<StoreProgress>? progress,
        CancellationToken cancellationToken)
    {
        ThrowIfExists(path);
        // A name of its own: another run may be writing an export to the same path.
        var part = $"{path}.{Guid.NewGuid():N}.part";
        // Order matters: opened before the try, which deletes the file when it fails.
        var file = new FileStream(part, FileMode.CreateNew, FileAccess.Write);
        try
        {
            ExportReport report;
            await using (file.ConfigureAwait(false))
            {
                report = await StoreExport.RunAsync(store, file, query, range, progress, cancellationToken).ConfigureAwait(false);
                file.Flush(flushToDisk: true);
            }
            File.Move(part, path);
            return report;
        }
        catch
        {
            File.Delete(part);
            throw;
        }
    }

    /// <exception cref="CliException">The file exists.</exception>
    public static void ThrowIfExists(string path)
    {
        if (Path.Exists(path))
            throw new CliException(ExitCode.Usage, $"{path} exists already. Choose another file, or delete it. Nothing was written.");
    }
}
