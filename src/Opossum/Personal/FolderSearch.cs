using System.Globalization;
using System.Text;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Maintenance;

namespace Opossum.Personal;

/// <summary>One search of a store's folder for texts.</summary>
internal sealed class FolderSearch(IFileSystem fileSystem, StoreLayout layout, IReadOnlyCollection<string> texts, TextMatch match,
    string? keysFolder, IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
{
    private const int ListedMax = 1_000;
    private const int ReportedEvery = 256;

    // Of a longer file the members are not found.
    private const int JsonBytesMax = 16 * 1024 * 1024;

    // Further places in one file are counted without a look at their members.
    private const int JudgedMax = 1_000_000;

    private readonly ByteSearch bytes = new(texts, match);
    private readonly List<PersonalDataHit> hits = [];
    private readonly List<PersonalDataProblem> unsearched = [];
    private readonly List<(long Offset, int Length)> found = [];
    private readonly Queue<string> folders = [];
    private long total;
    private long files;
    private long seen;
    private long length;

    public PersonalDataSearchReport Run(PersonKey? person)
    {
        folders.Enqueue(layout.Root);
        if (keysFolder is not null && keysFolder != layout.Root && !FilePath.IsIn(keysFolder, layout.Root))
            folders.Enqueue(keysFolder);
        while (folders.TryDequeue(out var folder))
            SearchFolder(folder);
        progress.Report(StoreOperation.PersonalDataSearch, files, seen);
        return new PersonalDataSearchReport
        {
            Total = total,
            Hits = hits,
            Files = files,
            Bytes = length,
            NotSearched = unsearched,
            Person = person,
        };
    }

    private void SearchFolder(string folder)
    {
        if (!TryRead(folder, () => fileSystem.List(folder), out var entries))
            return;
        seen += entries.Count;
        // In the order of names, which for event files is that of positions.
        entries.Sort(StringComparer.Ordinal);
        foreach (var name in entries)
        {
            var path = FilePath.Join(folder, name);
            var place = PlaceOf(path);
            if (IsInName(place.Place, name))
                Add(place, offset: null, member: null, []);
            SearchEntry(place);
        }
    }

    // Names are encoded as in URLs.
    private bool IsInName(PersonalDataPlace place, string name) =>
        match == TextMatch.Tag && place is PersonalDataPlace.Keys or PersonalDataPlace.Projection
            ? texts.Contains(Uri.UnescapeDataString(name.Split('.')[0]))
            : bytes.IsIn(Encoding.UTF8.GetBytes(name)) || bytes.IsIn(Encoding.UTF8.GetBytes(Uri.UnescapeDataString(name)));

    private void SearchEntry(PersonalDataHit place)
    {
        var path = place.Path;
        cancellationToken.ThrowIfCancellationRequested();
        if (!TryRead(path, () => (Kind: fileSystem.GetKind(path), IsLink: fileSystem.IsLink(path)), out var entry))
            return;
        if (entry.IsLink)
            NotSearched(path, "It is a link, which is not followed.");
        else if (entry.Kind == EntryKind.Folder)
            folders.Enqueue(path);
        else if (TryRead(path, () => SearchFile(place), out var isThere) && isThere && ++files % ReportedEvery == 0)
            progress.Report(StoreOperation.PersonalDataSearch, files, seen);
        if (entry.Kind == EntryKind.Folder || entry.IsLink)
            seen--;
    }

    // False: another process has deleted or renamed it meanwhile.
    private bool SearchFile(PersonalDataHit place)
    {
        using var file = fileSystem.Open(place.Path, FileOpening.Read);
        if (file is null)
            return false;
        found.Clear();
        var end = bytes.Run(file, place.Place == PersonalDataPlace.Index, Found, cancellationToken.ThrowIfCancellationRequested);
        length += end;
        if (found.Count > 0)
            List(place, file, end);
        return true;

        void Found(long offset, int length)
        {
            if (found.Count < JudgedMax)
                found.Add((offset, length));
            else
                total++;
        }
    }

    private void List(PersonalDataHit place, IFile file, long end)
    {
        var isLines = place.Place is PersonalDataPlace.EventFile or PersonalDataPlace.Line
            && place.Path.EndsWith(StoreLayout.SealedFileEnding, StringComparison.Ordinal);
        if (end > (isLines ? int.MaxValue : JsonBytesMax))
        {
            found.ForEach(each => Add(place, each.Offset, member: null, []));
            return;
        }
        var content = new byte[end];
        var text = content.AsSpan(0, file.Read(content, 0));
        if (isLines)
            ListLines(place, text);
        else
            ListJson(place, text, 0, found);
    }

    // Each line is an event.
    private void ListLines(PersonalDataHit place, ReadOnlySpan<byte> text)
    {
        for (var at = 0; at < found.Count;)
        {
            var start = text[..(int)found[at].Offset].LastIndexOf((byte)'\n') + 1;
            var length = text[start..].IndexOf((byte)'\n');
            var end = length < 0 ? text.Length : start + length;
            var inLine = found.Skip(at).TakeWhile(each => each.Offset < end).ToList();
            ListJson(place, text[start..end], start, inLine);
            at += inLine.Count;
        }
    }

    private void ListJson(PersonalDataHit place, ReadOnlySpan<byte> json, int start, List<(long Offset, int Length)> inside)
    {
        var root = new Dictionary<string, string>(StringComparer.Ordinal);
        var members = JsonPlaces.Find(json, inside.ConvertAll(each => each.Offset - start), root);
        foreach (var (at, (offset, length)) in inside.Index())
        {
            if (members[at] is not { } value)
                Add(place, offset, member: null, root);
            else if (IsInPlain(place.Place, value, json[value.Start..value.End], (int)(offset - start) - value.Start, length))
                Add(place, offset, value.Member, root);
        }
    }

    // Not in what the store has encoded, which has any short text by chance; and a tag not in another tag.
    private bool IsInPlain(PersonalDataPlace place, JsonPlace value, ReadOnlySpan<byte> text, int start, int length)
    {
        var sealedAt = SealedText.IsName(value.Member) ? SealedText.FindBytes(text) : -1;
        if (sealedAt >= 0 ? start >= sealedAt : IsEncoded(place, value.Member))
            return false;
        return match != TextMatch.Tag || !(sealedAt >= 0 || IsTag(place, value.Member))
            || (start == 0 && length == (sealedAt >= 0 ? sealedAt : text.Length));
    }

    private static bool IsEncoded(PersonalDataPlace place, string member) => place == PersonalDataPlace.Keys
        ? member is "id" or "key" or "event" : place != PersonalDataPlace.Other && member is "id" or "checksum";

    private static bool IsTag(PersonalDataPlace place, string member) => place == PersonalDataPlace.Keys ? member == "subject"
        : member.StartsWith("tags[", StringComparison.Ordinal) || member.StartsWith("condition.", StringComparison.Ordinal);

    private void Add(PersonalDataHit place, long? offset, string? member, Dictionary<string, string> root)
    {
        total++;
        if (hits.Count >= ListedMax)
            return;
        var isEvent = place.Place is PersonalDataPlace.EventFile or PersonalDataPlace.Line or PersonalDataPlace.Quarantine
            or PersonalDataPlace.Reaction;
        hits.Add(place with
        {
            Offset = offset,
            Member = member,
            Position = place.Position ?? (isEvent && long.TryParse(root.GetValueOrDefault("position"), NumberStyles.None,
                CultureInfo.InvariantCulture, out var position) ? position : null),
            EventType = isEvent ? root.GetValueOrDefault("type") : null,
            Key = place.Place == PersonalDataPlace.Projection ? root.GetValueOrDefault("key") : null,
        });
    }

    // What the path says.
    private PersonalDataHit PlaceOf(string path)
    {
        var separator = FilePath.SeparatorOf(layout.Root);
        var parts = FilePath.IsIn(path, layout.Root) ? path[FilePath.Join(layout.Root, "").Length..].Split(separator) : [];
        var name = parts is [.., var last] ? last : "";
        var place = parts switch
        {
            [] => PersonalDataPlace.Keys,
            [StoreLayout.EventsFolderName or StoreLayout.EventsFolderStagingName, ..] => PersonalDataPlace.EventFile,
            [StoreLayout.LogFolderName, ..] => PersonalDataPlace.Line,
            [StoreLayout.IndexFolderName, ..] => PersonalDataPlace.Index,
            [StoreLayout.QuarantineFolderName, ..] => PersonalDataPlace.Quarantine,
            [StoreLayout.ProjectionsFolderName, ..] => PersonalDataPlace.Projection,
            [StoreLayout.ReactionsFolderName, ..] => PersonalDataPlace.Reaction,
            [StoreLayout.KeysFolderName, ..] => PersonalDataPlace.Keys,
            [StoreLayout.ProofFolderName, ..] => PersonalDataPlace.Proof,
            _ => keysFolder is not null && FilePath.IsIn(path, keysFolder) ? PersonalDataPlace.Keys : PersonalDataPlace.Other,
        };
        long? position = place == PersonalDataPlace.EventFile && StoreLayout.TryParseEventFileName(name, out var parsed) ? parsed : null;
        var projection = place == PersonalDataPlace.Projection && parts.Length > 2 ? parts[1] : null;
        return new PersonalDataHit
        {
            Place = place,
            Path = path,
            Offset = null,
            Position = position,
            EventType = null,
            Member = null,
            Projection = projection,
            Key = null,
        };
    }

    private bool TryRead<T>(string path, Func<T> read, [System.Diagnostics.CodeAnalysis.MaybeNullWhen(false)] out T result)
    {
        try
        {
            result = read();
            return true;
        }
        catch (FileSystemException e)
        {
            NotSearched(path, e.Message);
            result = default;
            return false;
        }
    }

    private void NotSearched(string path, string reason)
    {
        if (unsearched.Count < ListedMax)
            unsearched.Add(new PersonalDataProblem { Path = path, Problem = reason });
    }
}
