using System.Text.Json;
using Opossum.Cli.Events;
using Opossum.Cli.Migration;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Opens stores by the path that the user typed, and never creates one.</summary>
internal static class StorePath
{
    private const string StoreFile = "store.json";

    /// <summary>Opens a store for reading only: it is not locked, changed or created.</summary>
    /// <exception cref="CliException">There is no store at the path.</exception>
    public static Task<FileSystemEventStore> OpenForReadingAsync(string path, Terminal terminal, CancellationToken cancellationToken) =>
        OpenAsync(new OpossumOptions { Path = path, ReadOnly = true }, terminal, cancellationToken);

    /// <summary>Opens a store, and shows its progress.</summary>
    /// <exception cref="CliException">There is no store at the path.</exception>
    public static Task<FileSystemEventStore> OpenAsync(OpossumOptions options, Terminal terminal, CancellationToken cancellationToken)
    {
        ThrowIfNoStore(options.Path);
        return ProgressDisplay.RunAsync(terminal, progress =>
        {
            options.Advanced.RebuildProgress = StoreSteps.To(progress);
            return FileSystemEventStore.OpenAsync(options, cancellationToken);
        });
    }

    /// <summary>The store that is meant where none is named; null: there is none.</summary>
    public static string? FindDefault() => Environment.GetEnvironmentVariable("OPOSSUM_STORE") is { Length: > 0 } named ? named
        : IsStore(Environment.CurrentDirectory) ? "."
        : null;

    /// <param name="path">The path as the user typed it.</param>
    /// <param name="mayBeNew">Whether a new store may be what the user wants there: not where a copy is meant.</param>
    /// <exception cref="CliException">There is no store at the path.</exception>
    public static void ThrowIfNoStore(string path, bool mayBeNew = true)
    {
        var advice = mayBeNew ? $"Check the path, or create a store there with: opossum new {path}" : "Check the path.";
        if (path.Length == 0)
            throw new CliException(ExitCode.Usage, "The path of the store is empty. Pass the store's folder.");
        if (File.Exists(path))
            throw NoStore($"{path} is a file, but a store is a folder.{Above(path)}");
        if (!Directory.Exists(path))
            throw NoStore($"{path} does not exist. {advice}");
        if (!File.Exists(Path.Combine(path, StoreFile)) && !IsEmpty(path) && FlatStore.IsAt(path))
            throw NoStore($"{path} is in the flat layout, so it is no store. Copy its events into one with: opossum migrate {path} STORE");
        if (IsStore(path))
            return;
        throw NoStore(IsEmpty(path)
            ? $"{path} is empty, so it is no store. {advice}"
            : $"{path} is not a store: it has no store.json and no Events folder.{Above(path)} Check the path.");
    }

    /// <summary>The last position of a store, which is only read.</summary>
    public static async Task<long> HeadAsync(string path, Terminal terminal, CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(path, terminal, cancellationToken).ConfigureAwait(false);
        return await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The store in whose folder a path lies; null when it lies in none.</summary>
    public static string? FindAround(string path)
    {
        for (var folder = Path.GetDirectoryName(Path.GetFullPath(path)); folder is not null; folder = Path.GetDirectoryName(folder))
        {
            if (File.Exists(Path.Combine(folder, StoreFile)))
                return folder;
        }
        return null;
    }

    /// <summary>Whether a folder looks like a store: opening tells for sure.</summary>
    public static bool IsStore(string path) =>
        File.Exists(Path.Combine(path, StoreFile)) || Directory.Exists(Path.Combine(path, "Events"));

    /// <summary>The id of a store that may lack its index, as its store.json says; null: it does not say.</summary>
    public static Guid? FindId(string path) => Find(path, StoreFile, static json => json.GetProperty("id").GetGuid());

    /// <summary>Refuses a folder in which a dry run would succeed, and the change itself not. It is not opened: it may be damaged.</summary>
    /// <param name="path">The folder.</param>
    /// <param name="orFormer">
    /// Whether a former store is refused too, or what may be one, as its replica.json is damaged: it can be repaired, and not opened for writing.
    /// </param>
    /// <exception cref="CliException">The folder is a replica, or a former store.</exception>
    public static async Task ThrowIfReplicaAsync(string path, bool orFormer, CancellationToken cancellationToken)
    {
        if (await StoreReplica.FindStatusAsync(path, cancellationToken).ConfigureAwait(false) is not { } replica
            || (!orFormer && (replica.IsFormerStore || replica.IsDamaged)))
        {
            return;
        }
        throw NoStore(replica switch
        {
            { IsDamaged: true } => $"{path} has a damaged replica.json, so it is a replica of another folder, or a former store. Follow the store "
                + "into it again, or promote it. Nothing was changed.",
            { IsFormerStore: true } => $"{path} is no longer the store: {replica.Source} was promoted in its place. Nothing was changed.",
            _ => $"{path} is a replica of {replica.Source}: change that store, and the replica follows. opossum check {path} says what to do if "
                + "only the replica is damaged. Nothing was changed.",
        });
    }

    /// <summary>What the user did wrong who named a file that cannot be read, after its path; null: nothing.</summary>
    public static string? WhyNoFile(string path, Exception e) => Directory.Exists(path) ? "is a folder"
        : e is FileNotFoundException or DirectoryNotFoundException or ArgumentException ? "does not exist"
        : null;

    /// <summary>What a JSON file in a folder says; null: it is missing, or does not say.</summary>
    public static T? Find<T>(string path, string name, Func<JsonElement, T> read)
        where T : struct
    {
        try
        {
            return read(JsonElement.Parse(JsonBytes.WithoutByteOrderMark(File.ReadAllBytes(Path.Combine(path, name)))));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException
            or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            return null;
        }
    }

    private static bool IsEmpty(string path)
    {
        try
        {
            return !Directory.EnumerateFileSystemEntries(path).Any();
        }
        catch (UnauthorizedAccessException e)
        {
            throw new CliException(ExitCode.NoStore, $"{path} cannot be read: {e.Message} Give this user the right to read there.", e);
        }
    }

    // Somebody inside a store, or at one of its files, most likely means that store.
    private static string Above(string path) => FindAround(path) is { } store ? $" It is inside the store {store}." : "";

    private static CliException NoStore(string message) => new(ExitCode.NoStore, message);
}
