using System.Globalization;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Migration;

/// <summary>A folder in the flat layout: one folder of event files, named by their positions in ten digits.</summary>
internal sealed class FlatStore
{
    private const int PositionDigits = 10;
    private const int ReportedEvents = 1_000;

    private readonly List<(long Position, string Path)> files;

    private FlatStore(string folder, List<(long Position, string Path)> files)
    {
        Folder = folder;
        this.files = files;
    }

    public string Folder { get; }

    public int Count => files.Count;

    /// <summary>The first position without a file; null when there is none.</summary>
    public long? FirstGap
    {
        get
        {
            for (var at = 0; at < files.Count; at++)
            {
                if (files[at].Position != at + 1)
                    return at + 1;
            }
            return null;
        }
    }

    /// <exception cref="CliException">The folder is not in the flat layout.</exception>
    public static FlatStore Open(string folder)
    {
        if (!Directory.Exists(folder))
            throw new CliException(ExitCode.NoStore, $"{folder} does not exist. Pass a folder in the flat layout.");
        if (File.Exists(Path.Combine(folder, "store.json")))
            throw new CliException(ExitCode.NoStore, $"{folder} is a store already, not in the flat layout. To copy it: opossum backup or export.");
        var files = FindFiles(folder).ToList();
        if (files.Count == 0)
        {
            throw new CliException(ExitCode.NoStore,
                $"{folder} is not in the flat layout: it has no folder events with files such as 0000000001.json. Check the path.");
        }
        files.Sort();
        return new FlatStore(folder, files);
    }

    /// <summary>Whether a folder has events in the flat layout.</summary>
    public static bool IsAt(string folder) => FindFiles(folder).Any();

    /// <summary>Reads every event and returns the CLR types, in the order in which they appear.</summary>
    /// <exception cref="CliException">A file is not an event.</exception>
    public List<string> FindTypes(IProgress<Step> progress, CancellationToken cancellationToken)
    {
        var types = new List<string>();
        var known = new HashSet<string>(StringComparer.Ordinal);
        for (var at = 0; at < files.Count; at++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            using var e = FlatEvent.Read(files[at].Path, files[at].Position);
            if (known.Add(e.ClrType))
                types.Add(e.ClrType);
            if ((at + 1) % ReportedEvents == 0)
                progress.Report(new Step("Reading", at + 1, files.Count));
        }
        return types;
    }

    /// <summary>The events as lines for an import, made one by one.</summary>
    /// <exception cref="CliException">A file is not an event.</exception>
    public IEnumerable<byte[]> ReadLines(TypeTable table)
    {
        foreach (var (position, path) in files)
        {
            using var e = FlatEvent.Read(path, position);
            yield return e.ToLine(table.Names[e.ClrType]);
        }
    }

    private static IEnumerable<(long Position, string Path)> FindFiles(string folder)
    {
        // Older versions named it with a capital letter.
        var events = Directory.EnumerateDirectories(folder).FirstOrDefault(static path =>
            string.Equals(Path.GetFileName(path), "events", StringComparison.OrdinalIgnoreCase));
        foreach (var path in events is null ? [] : Directory.EnumerateFiles(events, "*.json"))
        {
            var name = Path.GetFileNameWithoutExtension(path);
            if (name.Length == PositionDigits && long.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out var position))
                yield return (position, path);
        }
    }
}
