using System.Globalization;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage.Folders;

/// <summary>
/// store.json: marks the folder as a store and holds its format, its creation time, and the id that ties the index
/// to it.
/// </summary>
internal sealed record StoreFile(int Format, Guid Id, DateTimeOffset Created)
{
    private const int LengthMax = 64 * 1024;

    /// <summary>
    /// The minor format. A store with a higher one can be used, but its event files may hold members that this version does not know.
    /// </summary>
    public int Minor { get; init; }

    /// <summary>
    /// How many times a replica of the store was promoted, from 1: of two folders of one store, that with the
    /// higher term is the store.
    /// </summary>
    public int Term { get; init; } = 1;

    /// <summary>
    /// Another number after each repair or redaction that changes stored events, and in each restored store. A replica with another number
    /// compares every event.
    /// </summary>
    public int Revision { get; init; }

    /// <summary>
    /// The same with a revision that no folder has. One more would be that of a replica, where a store has been put back from a copy.
    /// </summary>
    public StoreFile WithNewRevision() => this with { Revision = Random.Shared.Next(1, 1 << 30) };

    /// <summary>Reads the file; null when it is missing, or empty because the process that created it ended before writing it.</summary>
    /// <exception cref="StoreOpenException">It is not a store file, or has a newer format.</exception>
    public static StoreFile? Read(IFileSystem fileSystem, StoreLayout layout)
    {
        var read = TryRead(fileSystem, layout, out var problem);
        if (problem is not null)
        {
            throw new StoreOpenException(layout.StoreFile,
                $"{layout.StoreFile} {problem} If {layout.Root} is a store whose file was damaged, remove only that file; it is written again if "
                    + "the folder has event files. A store that was promoted then lacks its term until its replica follows it again. Nothing was "
                    + "changed.");
        }

        return read;
    }

    /// <summary>The same for a check, which continues without the file.</summary>
    /// <param name="layout">The names of the store's files.</param>
    /// <param name="problem">Why it is not a store file, as the end of a sentence that begins with its path; null when it is one, or is
    /// missing.</param>
    /// <exception cref="StoreOpenException">It has a newer format.</exception>
    public static StoreFile? TryRead(IFileSystem fileSystem, StoreLayout layout, out string? problem) =>
        TryRead(fileSystem, layout.StoreFile, layout.Root, out problem);

    private static StoreFile? TryRead(IFileSystem fileSystem, string path, string root, out string? problem)
    {
        problem = null;
        if (SmallFile.Read(fileSystem, path, LengthMax) is not [_, ..] content)
            return null;
        var read = Parse(content, out problem);
        if (read?.Format > StoreLayout.Format)
        {
            throw new StoreOpenException(path,
                $"The store in {root} has format {read.Format}, which is newer than format {StoreLayout.Format}, the newest that this "
                    + "version of Opossum knows. Update Opossum; nothing was changed.");
        }
        return read;
    }

    /// <summary>Writes the file atomically, under the lock. False when it exists already.</summary>
    public bool TryWrite(IFileSystem fileSystem, StoreLayout layout)
    {
        // Creates the file to find out whether it exists: for a while, a share's client may report a name missing that another machine has
        // just created.
        using (var claimed = fileSystem.CreateNew(layout.StoreFile))
        {
            if (claimed is null && Read(fileSystem, layout) is not null)
                return false;
        }
        Replace(fileSystem, layout);
        return true;
    }

    /// <summary>Replaces the file, atomically and durably, under the lock.</summary>
    public void Replace(IFileSystem fileSystem, StoreLayout layout) =>
        DurableFile.Replace(fileSystem, layout.StoreFile, ToJson());

    /// <summary>Writes the file durably under its staging name, for a folder that becomes a store later.</summary>
    public void Stage(IFileSystem fileSystem, StoreLayout layout)
    {
        using (var file = DurableFile.CreateAgain(fileSystem, layout.StoreFileStaging))
            file.Write(ToJson(), 0);
        DurableFile.TryFlush(fileSystem, layout.StoreFileStaging);
    }

    /// <summary>Reads what <see cref="Stage"/> has written; null when it is missing or was not written to its end.</summary>
    public static StoreFile? ReadStaged(IFileSystem fileSystem, StoreLayout layout) =>
        TryRead(fileSystem, layout.StoreFileStaging, layout.Root, out var problem) is { } read && problem is null ? read : null;

    /// <summary>Gives it its name, durably: the folder is a store from here on.</summary>
    public static void TakeStaged(IFileSystem fileSystem, StoreLayout layout)
    {
        // Written again: after a flush that failed, the next one may succeed although the bytes are not on the disk.
        using (var file = fileSystem.Open(layout.StoreFileStaging, FileOpening.ReadWrite))
        {
            file?.Write(SmallFile.Read(fileSystem, layout.StoreFileStaging, LengthMax), 0);
            file?.Flush();
        }
        fileSystem.Move(layout.StoreFileStaging, layout.StoreFile);
        DurableFile.TryFlush(fileSystem, layout.StoreFile);
    }

    private byte[] ToJson() => JsonFile.Of(json =>
    {
        json.WriteStartObject();
        json.WriteNumber("format"u8, Format);
        // The store of a backup may be of a newer minor format than this version writes itself.
        if (Minor > 0)
            json.WriteNumber("minor"u8, Minor);
        json.WriteString("id"u8, Id);
        json.WriteString("created"u8, Created.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
        if (Term > 1)
            json.WriteNumber("term"u8, Term);
        if (Revision > 0)
            json.WriteNumber("revision"u8, Revision);
        json.WriteEndObject();
    });

    private static StoreFile? Parse(ReadOnlySpan<byte> json, out string? problem)
    {
        problem = null;
        try
        {
            var reader = new Utf8JsonReader(CanonicalText.WithoutByteOrderMark(json));
            var read = ReadObject(ref reader);
            // Throws when anything other than white space follows.
            reader.Read();
            return read;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or FormatException)
        {
            problem = $"is not a store file: {e.Message}";
            return null;
        }
    }

    // Not by JsonDocument, which takes milliseconds at the first use.
    private static StoreFile ReadObject(ref Utf8JsonReader reader)
    {
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            throw new FormatException("It is no JSON object.");
        int? format = null;
        Guid? id = null;
        DateTimeOffset? created = null;
        var minor = 0;
        var (term, revision) = (1, 0);
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            if (IsAt(ref reader, "format"u8))
                format = reader.GetInt32();
            else if (IsAt(ref reader, "minor"u8))
                minor = reader.GetInt32();
            else if (IsAt(ref reader, "id"u8))
                id = reader.GetGuid();
            else if (IsAt(ref reader, "created"u8))
                created = reader.GetDateTimeOffset();
            else if (IsAt(ref reader, "term"u8))
                term = reader.GetInt32();
            else if (IsAt(ref reader, "revision"u8))
                revision = reader.GetInt32();
            else
                reader.Skip();
        }
        if (format is < 1)
            throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"There is no format {format}."));
        if (minor < 0)
            throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"There is no minor format {minor}."));
        if (term < 1)
            throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"There is no term {term}."));
        return new StoreFile(format ?? throw Lacks("format"), id ?? throw Lacks("id"), created ?? throw Lacks("created"))
        {
            Minor = minor,
            Term = term,
            Revision = revision,
        };

        static bool IsAt(ref Utf8JsonReader reader, ReadOnlySpan<byte> name) => reader.ValueTextEquals(name) && reader.Read();
        static FormatException Lacks(string member) => new($"It has no member \"{member}\".");
    }
}
