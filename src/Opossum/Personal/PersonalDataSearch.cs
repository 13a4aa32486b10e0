using System.Globalization;
using System.Text.Json;
using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Personal;
using Opossum.Serialization;

namespace Opossum.Maintenance;

/// <summary>Searches everything in a store's folder for a text in plain, such as a name that was to be forgotten.</summary>
/// <remarks>
/// Every file is searched as bytes, also foreign ones, in UTF-8 and UTF-16, as it is and escaped as in JSON, and so are the names of files. Case
/// counts. A part of a word counts; of a tag, only the whole. Encrypted, compressed and otherwise encoded data is not looked into, nor are keys,
/// checksums, ids and pseudonyms. The store is only read; processes may append meanwhile: what they write during the search may be missed.
/// </remarks>
public static class PersonalDataSearch
{
    private const int TextLengthMax = 64 * 1024;

    /// <summary>Searches a store's folder, and the folder of keys if that is elsewhere.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="text">The text, or a person's tag such as <c>customer:c1</c>: then the report also says what the keys have for it.</param>
    /// <param name="keysFolder">The folder of keys, as in <see cref="PersonalDataOptions.KeysFolder"/>. Null, the default: the store's own.</param>
    /// <param name="progress">Receives the number of files. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Stops the search.</param>
    /// <exception cref="ArgumentException">The text is empty, longer than 65,536 characters, or not valid Unicode.</exception>
    /// <exception cref="StoreOpenException">The path is not a store.</exception>
    /// <exception cref="PersonalDataException">The folder of keys cannot be read.</exception>
    public static Task<PersonalDataSearchReport> RunAsync(string path, string text, string? keysFolder = null,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentException.ThrowIfNullOrEmpty(text);
        NameRules.CheckUnicode(text, "The text", nameof(text));
        if (text.Length > TextLengthMax)
        {
            throw new ArgumentException(string.Create(CultureInfo.InvariantCulture,
                $"The text has {text.Length:N0} characters; at most {TextLengthMax:N0} are allowed."), nameof(text));
        }
        var root = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        var keys = keysFolder is null ? null : Path.TrimEndingDirectorySeparator(Path.GetFullPath(keysFolder));
        return Task.Run(() => RealFileSystem.Use(fileSystem =>
            Run(fileSystem, root, text, keys, progress, cancellationToken)), cancellationToken);
    }

    /// <summary>
    /// Finds, before an append by a program that does not know the app's classes, the members of new events that are personal data: as the store's
    /// schemas of their types say, or its events show, in which they are encrypted. Such a program would store them in plain. It reads all events of
    /// these types.
    /// </summary>
    /// <param name="store">The store.</param>
    /// <param name="events">The new events; those made of objects, which a registered class describes, are passed over.</param>
    /// <param name="cancellationToken">Stops the search.</param>
    /// <exception cref="ArgumentException">The JSON of an event is not valid, so that an append would refuse it; the message names its index.</exception>
    public static async Task<IReadOnlyList<PlainMember>> FindPlainAsync(IEventStore store, IReadOnlyList<NewEvent> events,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(events);
        var given = events.Index().Where(static each => each.Item.Type is not null)
            .Select(each => (each.Index, Type: each.Item.Type!, Json: Normalize(events, each.Index))).ToList();
        string[] types = [.. given.Select(static each => each.Type).Distinct()];
        var history = new PersonalHistory { Schemas = (store as ISchemaSource)?.ReadSchemas() ?? [] };
        if (types.Length > 0)
        {
            await foreach (var e in store.ReadAsync(Query.FromEventTypes(types), cancellationToken: cancellationToken).ConfigureAwait(false))
                history.Note(e.Type, e.StoredJson, e.Position);
        }
        return [.. given.SelectMany(each => history.FindPlain(each.Type, each.Json)
            .Select(plain => new PlainMember
            {
                Event = each.Index,
                Member = plain.Member.Path,
                ShownBy = plain.ShownBy,
            }))];
    }

    internal static PersonalDataSearchReport Run(IFileSystem fileSystem, StoreLayout layout, string text, string? keysFolder,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        try
        {
            StoreFolder.OpenExisting(fileSystem, layout, forReading: true);
            var person = FindTag(text) is { } tag ? PersonalKeys.Find(fileSystem, layout, tag, keysFolder, masterKey: null) : null;
            var search = new FolderSearch(fileSystem, layout, [text], person is null ? TextMatch.Anywhere : TextMatch.Tag, keysFolder,
                CarefulProgress.Of(progress, NullLogger.Instance), cancellationToken);
            return search.Run(person);
        }
        catch (FileSystemException e)
        {
            throw new StoreOpenException(e.Path, $"The store in {layout.Root} cannot be read. {e.Message}", e,
                isTransient: e.Error == FileError.InUse);
        }
    }

    private static byte[] Normalize(IReadOnlyList<NewEvent> events, int index)
    {
        try
        {
            return JsonText.Normalize(events[index].Json.Span);
        }
        catch (JsonException exception)
        {
            throw EventSerializer.NotAllowed(nameof(events), index, EventSerializer.NotValid(events[index], exception));
        }
    }

    private static Tag? FindTag(string text)
    {
        try
        {
            return Tag.ParsePerson(text) is { IsPseudonym: false } tag ? tag : null;
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            return null;
        }
    }
}
