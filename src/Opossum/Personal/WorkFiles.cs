using System.Text.Json;
using System.Text.Json.Nodes;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;
using Opossum.Reactions.Files;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>
/// The texts that projections and reactions keep in plain for people: errors and reasons of parked and skipped events, requests, faults. A handler's
/// error may repeat personal data.
/// </summary>
internal sealed class WorkFiles(IFileSystem fileSystem, StoreLayout layout)
{
    private const string Checksum = "checksum";

    /// <summary>Takes a person's texts out of the files.</summary>
    /// <param name="blanked">Receives the files that were changed.</param>
    /// <param name="remaining">Receives the files that have a text and could not be changed, or could not be read, and why.</param>
    public void Blank(PersonTexts texts, ISet<string> blanked, IDictionary<string, string> remaining)
    {
        if (texts.IsEmpty)
            return;
        var search = new ByteSearch(texts.All, TextMatch.Word);
        foreach (var (folder, isDue) in Folders(remaining))
        {
            foreach (var path in Files(folder, remaining))
                Guard(path, remaining, () => Blank(path, isDue, texts, search, blanked, remaining));
        }
    }

    private void Blank(string path, bool isDue, PersonTexts texts, ByteSearch search, ISet<string> blanked, IDictionary<string, string> remaining)
    {
        if (PatientLook.Look(fileSystem, () => TryBlank(path, isDue, texts, search, blanked)) is { } why)
            remaining[path] = why;
    }

    // Returns why texts remain.
    private string? TryBlank(string path, bool isDue, PersonTexts texts, ByteSearch search, ISet<string> blanked)
    {
        var (members, isFound, found) = ((JsonObject?)null, false, Array.Empty<byte>());
        try
        {
            var lengthMax = isDue ? DueFile.BytesMax : LedFolder.FileBytesMax;
            members = CheckedFile.Read(fileSystem, path, lengthMax, bytes => (JsonFile.ParseChecked(found = bytes, json =>
            {
                var file = JsonObject.Create(json);
                isFound = isDue ? IsInDue(json, texts)
                    : texts.BlankIn(file, LedFolder.TextMembers);
                return file;
            }, out var problem), problem));
        }
        catch (DamagedFileException)
        {
            return IsIn(path, search) ? "It is damaged, so that it was not changed, and seems to have a value of the person. Look at it." : null;
        }
        if (!isFound || members is null)
            return null;
        if (isDue)
            return "It has the data of an event that is due later. Delete it to cancel that event.";
        Write(path, members, found);
        blanked.Add(path);
        return null;
    }

    // What is due is an event, not a text about one. The names of members are the app's, unless one is a value as a whole.
    private static bool IsInDue(JsonElement file, PersonTexts texts) =>
        DueFile.EventMembers.Any(name => file.TryGetProperty(name, out var member)
            && JsonMember.TextsIn(member).Any(text => texts.BlankIn(text) != text))
        || (file.TryGetProperty(DueFile.Data, out var data) && JsonMember.NamesIn(data).Any(texts.All.Contains));

    private void Write(string path, JsonObject members, byte[] found)
    {
        members.Remove(Checksum);
        CheckedFile.Write(fileSystem, path, json =>
        {
            foreach (var (name, value) in members)
            {
                json.WritePropertyName(name);
                if (value is null)
                    json.WriteNullValue();
                else
                    value.WriteTo(json);
            }
        }, () =>
        {
            // What a leader has written meanwhile is looked at again: it may not write it once more.
            if (SmallFile.Read(fileSystem, path, LedFolder.FileBytesMax) is not { } now || !now.AsSpan().SequenceEqual(found))
                throw PatientLook.Gone(path);
        });
    }

    private bool IsIn(string path, ByteSearch search)
    {
        var count = 0;
        using var file = fileSystem.Open(path, FileOpening.Read);
        if (file is not null)
            search.Run(file, isIndex: false, (_, _) => count++, static () => { });
        return count > 0;
    }

    private List<(string Path, bool IsDue)> Folders(IDictionary<string, string> remaining)
    {
        var folders = new List<(string Path, bool IsDue)>();
        foreach (var name in List(layout.Reactions, remaining))
        {
            var reaction = new ReactionLayout(layout.Reactions, name);
            folders.AddRange([(reaction.Parked, false), (reaction.Skipped, false), (reaction.Requests, false), (reaction.Due, true)]);
        }
        foreach (var name in List(layout.Projections, remaining))
        {
            var projection = new ProjectionLayout(layout.Projections, name);
            folders.AddRange([(projection.Skipped, false), (projection.Requests, false)]);
            List<string> files = [projection.RowFile];
            Guard(projection.Root, remaining, () => files.AddRange(Generations.List(fileSystem, projection).Select(static each => each.FaultFile)));
            // Order matters: staging names first, or a file that takes its last name meanwhile would keep the text.
            folders.AddRange(files.Select(static each => (LedFolder.StagingOf(each), false)).Concat(files.Select(static each => (each, false))));
        }
        return folders;
    }

    // Of a folder its files; a file is its own.
    private List<string> Files(string path, IDictionary<string, string> remaining)
    {
        var files = new List<string>();
        Guard(path, remaining, () =>
        {
            if (IsFile(path))
                files.Add(path);
            else
                files.AddRange(List(path, remaining).Select(name => FilePath.Join(path, name)).Where(IsFile));
        });
        return files;
    }

    private bool IsFile(string path) => fileSystem.GetKind(path) == EntryKind.File;

    private List<string> List(string folder, IDictionary<string, string> remaining)
    {
        List<string> names = [];
        Guard(folder, remaining, () =>
        {
            if (fileSystem.GetKind(folder) == EntryKind.Folder && !fileSystem.IsLink(folder))
                names = fileSystem.List(folder);
        });
        return names;
    }

    // What another process has deleted meanwhile has no text any more.
    private static void Guard(string path, IDictionary<string, string> remaining, Action work)
    {
        try
        {
            work();
        }
        catch (FileSystemException e)
        {
            if (e.Error != FileError.NotFound)
                remaining[path] = e.Message;
        }
    }
}
