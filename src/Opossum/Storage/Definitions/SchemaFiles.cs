using System.Globalization;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage.Definitions;

/// <summary>
/// The files of the schemas of event types: one for each version of a type. It is replaced only by one that calls more
/// members personal, and keeps the marks of the former.
/// </summary>
internal static class SchemaFiles
{
    private const string Ending = ".json";
    private const int LengthMax = 4 * 1024 * 1024;

    public static string NameOf(string eventType, int version) =>
        FormattableString.Invariant($"{KeyFileName.Of(eventType)}.v{version}{Ending}");

    /// <summary>
    /// The version in a name, and the type's name as <see cref="KeyFileName"/> writes it; null when it is another
    /// file's name.
    /// </summary>
    public static int? VersionOf(string name, out string eventType)
    {
        var at = name.LastIndexOf(".v", StringComparison.Ordinal);
        eventType = at < 0 ? "" : name[..at];
        return at >= 0 && int.TryParse(name.AsSpan(at + 2, name.Length - at - 2 - Ending.Length), NumberStyles.None,
            CultureInfo.InvariantCulture, out var version) ? version : null;
    }

    /// <summary>The names of the files; none when the folder is missing.</summary>
    public static IEnumerable<string> List(IFileSystem fileSystem, StoreLayout layout) =>
        fileSystem.ListIfThere(layout.Schemas).Where(static name => name.EndsWith(Ending, StringComparison.Ordinal))
            .Order(StringComparer.Ordinal);

    /// <summary>Reads a file; null when it is missing, or is not the schema that its name says.</summary>
    public static EventSchema? TryRead(IFileSystem fileSystem, StoreLayout layout, string name) =>
        SmallFile.Read(fileSystem, FilePath.Join(layout.Schemas, name), LengthMax) is { Length: <= LengthMax } bytes
            && EventSchema.Read(bytes) is { } schema && NameOf(schema.EventType, schema.Version) == name
                ? schema : null;

    public static IEnumerable<EventSchema> ReadAll(IFileSystem fileSystem, StoreLayout layout) =>
        List(fileSystem, layout).Select(name => TryRead(fileSystem, layout, name)).OfType<EventSchema>();

    /// <summary>Whether the file is missing, or calls fewer members personal.</summary>
    public static bool Lacks(IFileSystem fileSystem, StoreLayout layout, EventSchema schema, out EventSchema? there) =>
        (there = TryRead(fileSystem, layout, NameOf(schema.EventType, schema.Version))) is null || there.LacksPersonalOf(schema);

    /// <summary>
    /// Writes a file, durably and as a whole, if it is needed. The caller holds the store's lock, or alone writes the folder.
    /// </summary>
    public static void Write(IFileSystem fileSystem, StoreLayout layout, EventSchema schema)
    {
        if (!Lacks(fileSystem, layout, schema, out var there))
            return;
        if (there is not null)
            schema = schema.WithPersonalOf(there);
        fileSystem.CreateFolder(layout.Schemas);
        var path = FilePath.Join(layout.Schemas, NameOf(schema.EventType, schema.Version));
        DurableFile.Replace(fileSystem, path, schema.Text.Span);
    }

    /// <summary>Copies the files that a copy of the store lacks, and those that call more members personal.</summary>
    /// <param name="onlyNew">Whether files that are there are not compared.</param>
    public static void Copy(IFileSystem fileSystem, StoreLayout from, StoreLayout to, bool onlyNew = false)
    {
        HashSet<string> there = onlyNew ? [.. List(fileSystem, to)] : [];
        foreach (var name in List(fileSystem, from).Where(name => !there.Contains(name)))
        {
            if (TryRead(fileSystem, from, name) is { } schema)
                Write(fileSystem, to, schema);
        }
    }
}
