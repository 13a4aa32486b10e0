using System.Globalization;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage;

namespace Opossum.Personal;

/// <summary>One search of a store's folder for texts.</summary>
internal sealed class FolderSearch(IFileSystem fileSystem, StoreLayout layout, IReadOnlyList<string> texts, string? keysFolder,
    IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
{
    private const int ListedMax = 1_000;
    private const int ReportedEvery = 256;

    // Of a longer file the members are not found.
    private const int JsonBytesMax = 16 * 1024 * 1024;

    private readonly ByteSearch bytes = new([.. texts.SelectMany(TextForms.Of)]);
    private readonly List<string> names = [.. texts.SelectMany(TextForms.NamesOf)];
    private readonly List<PersonalDataHit> hits = [];
    private readonly List<PersonalDataProblem> unsearched = [];
    private readonly List<long> offsets = [];
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
            if (names.Exists(each => name.Contains(each, StringComparison.Ordinal)))
                Add(PlaceOf(path), offset: null, member: null, []);
            SearchEntry(path);
        }
    }

    private void SearchEntry(string path)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (!TryRead(path, () => (Kind: fileSystem.GetKind(path), IsLink: fileSystem.IsLink(path)), out var entry))
            return;
        if (entry.IsLink)
            NotSearched(path, "It is a link, which is not followed.");
        else if (entry.Kind == EntryKind.Folder)
            folders.Enqueue(path);
        else if (TryRead(path, () => SearchFile(path), out var isThere) && isThere && ++files % ReportedEvery == 0)
            progress.Report(StoreOperation.PersonalDataSearch, files, seen);
        if (entry.Kind == EntryKind.Folder || entry.IsLink)
            seen--;
    }

    // False: another process has deleted or renamed it meanwhile.
    private bool SearchFile(string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        if (file is null)
            return false;
        offsets.Clear();
        var before = total;
        var end = bytes.Run(file, Found, cancellationToken.ThrowIfCancellationRequested);
        length += end;
        if (offsets.Count > 0)
            List(path, file, end);
        return true;

        void Found(long offset)
        {
            total++;
            if (hits.Count + (total - before) <= ListedMax)
                offsets.Add(offset);
        }
    }

    private void List(string path, IFile file, long end)
    {
        var place = PlaceOf(path);
        total -= offsets.Count;
        if (place.Place is PersonalDataPlace.EventFile or PersonalDataPlace.Line
            && path.EndsWith(StoreLayout.SealedFileEnding, StringComparison.Ordinal))
        {
            ListLines(place, file, end);
            return;
        }
        var root = new Dictionary<string, string>(StringComparer.Ordinal);
        var members = end <= JsonBytesMax ? FindMembers(file, (int)end, root) : new string?[offsets.Count];
        for (var at = 0; at < offsets.Count; at++)
            Add(place, offsets[at], members[at], root);
    }

    // Each line is an event.
    private void ListLines(PersonalDataHit place, IFile file, long end)
    {
        if (end > int.MaxValue)
        {
            offsets.ForEach(offset => Add(place, offset, member: null, []));
            return;
        }
        var content = new byte[end];
        var text = content.AsSpan(0, file.Read(content, 0));
        for (var at = 0; at < offsets.Count;)
        {
            var start = text[..(int)offsets[at]].LastIndexOf((byte)'\n') + 1;
            var length = text[start..].IndexOf((byte)'\n');
            var lineEnd = length < 0 ? text.Length : start + length;
            var inLine = offsets.Skip(at).TakeWhile(offset => offset < lineEnd).Select(offset => offset - start).ToList();
            var root = new Dictionary<string, string>(StringComparer.Ordinal);
            var members = JsonPlaces.Find(text[start..lineEnd], inLine, root);
            for (var each = 0; each < inLine.Count; each++)
                Add(place, start + inLine[each], members[each], root);
            at += inLine.Count;
        }
    }

    private string?[] FindMembers(IFile file, int end, Dictionary<string, string> root)
    {
        var content = new byte[end];
        return JsonPlaces.Find(content.AsSpan(0, file.Read(content, 0)), offsets, root);
    }

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
