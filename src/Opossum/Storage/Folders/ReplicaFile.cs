using System.Globalization;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage.Folders;

/// <summary>
/// replica.json: says that a folder is not the store but follows it, or that another folder was promoted in its
/// place. While it counts, nothing is
/// appended there.
/// </summary>
/// <param name="Source">The folder that is followed, or that was promoted.</param>
/// <param name="Term">The term of the store in it. The file counts unless store.json has a higher one, as after a promotion.</param>
internal sealed record ReplicaFile(string Source, int Term)
{
    /// <summary>What to do with a copy that is damaged, as a part of a sentence.</summary>
    public const string Mending = "move the damaged files away and start following again: they are copied again";

    /// <summary>What to do with an index that is damaged, as a part of a sentence.</summary>
    public const string MendingIndex = $"move the folder {StoreLayout.IndexFolderName} away and start following again: the index is made again";

    /// <summary>What to do with what an interrupted following left, as a part of a sentence.</summary>
    public const string Following = "start following again, which completes it";

    /// <summary>The <see cref="Source"/> where the folder is not known, as in a sentence.</summary>
    public const string Elsewhere = "another folder";

    private const int LengthMax = 64 * 1024;

    /// <summary>The revision of the source that all events here have; null: not known, so every event is compared.</summary>
    public int? Revision { get; init; }

    /// <summary>The last position here when the file was written.</summary>
    public long Head { get; init; }

    /// <summary>The last position of the source then.</summary>
    public long SourceHead { get; init; }

    /// <summary>When the source was last seen; null: never.</summary>
    public DateTimeOffset? At { get; init; }

    /// <summary>Whether the file cannot be read. It counts.</summary>
    public bool IsDamaged { get; private init; }

    /// <summary>Reads the file of a folder that it counts for; null when the folder is a store.</summary>
    /// <param name="storeFile">store.json of the folder; null: it has none yet.</param>
    public static ReplicaFile? Find(IFileSystem fileSystem, StoreLayout layout, StoreFile? storeFile)
    {
        if (SmallFile.Read(fileSystem, layout.ReplicaFile, LengthMax) is not { } bytes)
            return null;
        var read = JsonFile.ParseChecked(bytes, Of, out _) ?? new ReplicaFile(Elsewhere, 0) { IsDamaged = true };
        return read.IsDamaged || storeFile is null || read.Term >= storeFile.Term ? read : null;
    }

    /// <summary>Writes the file durably, under the lock of the folder.</summary>
    public void Write(IFileSystem fileSystem, StoreLayout layout) => DurableFile.Replace(fileSystem, layout.ReplicaFile, JsonFile.Checked(json =>
    {
        json.WriteString("source"u8, Source);
        json.WriteNumber("term"u8, Term);
        if (Revision is { } revision)
            json.WriteNumber("revision"u8, revision);
        json.WriteNumber("head"u8, Head);
        json.WriteNumber("sourceHead"u8, SourceHead);
        if (At is { } at)
            json.WriteString("at"u8, at.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
    }));

    /// <summary>Removes the file durably.</summary>
    public static void Delete(IFileSystem fileSystem, StoreLayout layout)
    {
        fileSystem.Delete(layout.ReplicaFile);
        fileSystem.FlushFolder(layout.Root);
    }

    /// <summary>The same for users.</summary>
    /// <param name="storeFile">store.json of the folder; null: it has none yet.</param>
    public ReplicaStatus StatusOf(StoreFile? storeFile) => new()
    {
        Source = Source,
        Term = Term,
        SourceHead = SourceHead,
        At = At,
        IsFormerStore = Term > storeFile?.Term,
        IsDamaged = IsDamaged,
    };

    /// <summary>Why nothing is appended there, and what to do: two sentences.</summary>
    /// <param name="storeFile">store.json of the folder; null: it has none yet.</param>
    public string InWords(string root, StoreFile? storeFile) => IsDamaged
        ? $"{root} has a damaged {StoreLayout.ReplicaFileName}, so it is a replica of another folder, or was a store in whose place a replica was "
            + $"promoted. Follow the store into it again, or promote it: both write the file again or remove it."
        : Term > storeFile?.Term
            ? $"{root} is no longer the store: {Source} was promoted in its place, in term {Term}. Use that folder, and follow it into this one or "
                + "another; what only this one has can be exported."
            : $"{root} is a replica of {Source}: what is appended here would part from it. Open it for reading only, or "
                + "promote it if it is to take the place of that store.";

    private static ReplicaFile Of(JsonElement members) =>
        new(members.GetProperty("source").GetString() ?? throw new FormatException(), members.GetProperty("term").GetInt32())
        {
            Revision = members.TryGetProperty("revision", out var revision) ? revision.GetInt32() : null,
            Head = members.GetProperty("head").GetInt64(),
            SourceHead = members.GetProperty("sourceHead").GetInt64(),
            At = members.TryGetProperty("at", out var at) ? at.GetDateTimeOffset() : null,
        };
}
