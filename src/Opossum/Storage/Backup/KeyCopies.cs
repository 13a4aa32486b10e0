using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Personal;

namespace Opossum.Storage.Backup;

/// <summary>
/// Copies the files of a folder of keys. A mark that a person was forgotten is never replaced, and replaces a key; a copy never becomes worse.
/// </summary>
internal sealed class KeyCopies(IFileSystem fileSystem, StoreLayout from, StoreLayout to, CancellationToken cancellationToken)
{
    private const int FlushedTogether = 1_000;
    private const string Ending = ".json";
    private const string StoreKeyName = KeyFolder.StoreKeyName;

    // The files that are keys or marks and were compared.
    private readonly HashSet<string> compared = new(StringComparer.Ordinal);
    // A key file of the source that is damaged, so that its copy was not changed.
    private string? damaged;
    // What keeps the keys of the target from being replaced, in words.
    private string? otherKeys;
    private bool flushesAll;
    private bool isWriting;
    private bool hadBegun;

    private enum KeyKind
    {
        Missing,
        Unfinished,
        Damaged,
        Key,
        Mark,
    }

    /// <summary>Whether the store's folder has keys.</summary>
    public bool HasKeys => fileSystem.GetKind(FilePath.Join(from.Keys, StoreKeyName)) == EntryKind.File;

    /// <summary>
    /// Copies the note of which store key the store needs, whether or not keys are copied. A store from before that note gets it from its events.
    /// </summary>
    public void CopyNote()
    {
        if (StoreKeyMark.Read(fileSystem, from) is { } mark && StoreKeyMark.Read(fileSystem, to) != mark)
            mark.Write(fileSystem, to);
    }

    /// <summary>Which keys were not copied, why and what to do; null: all were.</summary>
    public string? Problem => otherKeys ?? (damaged is null ? null
        : $"{damaged} is damaged: it is not the file of a key. Restore it from a backup of the keys, or forget the person. "
            + "All else was copied, and no copy of this key was changed.");

    /// <exception cref="StoreMaintenanceException">Keys were not copied.</exception>
    public void ThrowIfProblem()
    {
        if (Problem is { } problem)
            throw new StoreMaintenanceException(otherKeys is null ? damaged! : to.Keys, problem);
    }

    /// <summary>What the target lacks to read its personal data; null when nothing.</summary>
    public string? FindProblem() => StoreKeys.FindProblem(StoreKeyMark.Read(fileSystem, from), FolderOf(to));

    /// <summary>
    /// Whether the target of a source without keys has those of another store: each mark of the source would remove one, or the target's note names
    /// them and the source has none.
    /// </summary>
    public bool AreOfAnother => FindStoreKeyId(to) is { } theirs && StoreKeyMark.Read(fileSystem, from) is var ours
        && ((fileSystem.GetKind(from.Keys) == EntryKind.Folder && ours?.KeyId != theirs)
            || (ours is null && StoreKeyMark.Read(fileSystem, to)?.KeyId == theirs));

    /// <summary>
    /// Whether the target has keys of persons that another store key alone decrypts, as after a store key was given up: in the copy it may be the
    /// last one, and nothing takes its place.
    /// </summary>
    public bool LookForOtherKeys()
    {
        var others = FindStoreKeyId(from) is { } ours && FindStoreKeyId(to) is { } theirs && ours != theirs && FolderOf(to).HasKeyOfPerson()
            ? $"{to.Keys} has keys of persons that the store key {theirs} alone decrypts, and the store's is {ours}: no key is copied there. Move "
                + "that folder away; the next run copies the keys. All else is copied."
            : null;
        // What was passed over meanwhile.
        if (others is null && otherKeys is not null)
            compared.Clear();
        otherKeys = others;
        return others is not null;
    }

    /// <summary>Copies keys and marks, and removes the keys of persons who were forgotten since.</summary>
    /// <param name="onlyMarks">Whether only marks are copied, which hold no secret, and no key.</param>
    /// <param name="replaces">Whether a key of the source replaces another one of the target, as after the master key was replaced.</param>
    /// <param name="onlyNew">
    /// Whether files that an earlier call has compared are passed over: nobody was forgotten since.
    /// </param>
    /// <returns>The number of files that were written. See also <see cref="Problem"/>.</returns>
    public long Copy(bool onlyMarks, bool replaces, bool onlyNew = false)
    {
        if (!onlyMarks)
            onlyMarks = LookForOtherKeys();
        if (fileSystem.GetKind(from.Keys) != EntryKind.Folder)
            return 0;
        var names = fileSystem.List(from.Keys);
        names.Sort(StringComparer.Ordinal);
        var begun = names.FindAll(static name => name.EndsWith(StoreLayout.ForgettingEnding, StringComparison.Ordinal));
        if (onlyNew)
            names.RemoveAll(name => IsCompared(name, onlyMarks));
        if (onlyNew && !hadBegun && !names.Exists(static name => name.EndsWith(Ending, StringComparison.Ordinal)) && begun.Count == 0)
            return 0;
        hadBegun = begun.Count > 0;
        isWriting = flushesAll = fileSystem.GetKind(WritingMark) == EntryKind.File;
        (var written, damaged) = (0L, null);
        // Order matters: the mark of a forgetting that has begun comes first, or its key would be copied.
        foreach (var name in begun)
            written += CopyBegun(name);
        // One that has ended since it was listed left its mark in the file of the key.
        var ended = begun.FindAll(name => fileSystem.GetKind(FilePath.Join(from.Keys, name)) == EntryKind.Missing);
        begun.RemoveAll(ended.Contains);
        names.AddRange(ended.Select(static name => name[..^StoreLayout.ForgettingEnding.Length] + Ending).Where(name => !names.Contains(name)));
        var keys = names.FindAll(name => name.EndsWith(Ending, StringComparison.Ordinal) && !begun.Contains(BegunOf(name)));
        foreach (var chunk in keys.Chunk(FlushedTogether))
        {
            cancellationToken.ThrowIfCancellationRequested();
            written += CopyKeys(chunk, onlyMarks, replaces);
        }
        RemoveEnded(begun);
        fileSystem.Delete(WritingMark);
        return written;
    }

    private string? FindStoreKeyId(StoreLayout layout) => Read(FilePath.Join(layout.Keys, StoreKeyName), StoreKeyName) is (KeyKind.Key, var content)
        ? StoreKeyFile.FindId(FolderOf(layout), content) : null;

    private KeyFolder FolderOf(StoreLayout layout) => new(new StoreFolder(fileSystem, layout.Root), layout.Keys, TimeSpan.Zero);

    // There while keys are written: a run that was killed may have left copies that are not durable, which the next one flushes.
    private string WritingMark => FilePath.Join(to.Keys, ".writing" + StoreLayout.StagingEnding);

    private void BeginWriting()
    {
        if (isWriting)
            return;
        isWriting = true;
        fileSystem.CreateFolderDurably(to.Keys);
        DurableFile.CreateAgain(fileSystem, WritingMark).Dispose();
    }

    // The store's key changes with the master key, and no event says so.
    private bool IsCompared(string name, bool onlyMarks) => compared.Contains(name)
        && (onlyMarks || name != StoreKeyName || Read(FilePath.Join(from.Keys, name), name).Content.AsSpan()
            .SequenceEqual(Read(FilePath.Join(to.Keys, name), name).Content));

    private static string BegunOf(string name) => name[..^Ending.Length] + StoreLayout.ForgettingEnding;

    private long CopyKeys(string[] names, bool onlyMarks, bool replaces)
    {
        var (written, created) = (0L, new List<string>());
        foreach (var name in names)
        {
            var (ours, content) = Read(FilePath.Join(from.Keys, name), name);
            var target = FilePath.Join(to.Keys, name);
            var (theirs, copy) = Read(target, name);
            if (ours is KeyKind.Key or KeyKind.Mark)
                compared.Add(name);
            else
                compared.Remove(name);
            // A copy without keys loses nothing by a damaged one.
            if (ours == KeyKind.Damaged && (theirs == KeyKind.Key || (!onlyMarks && theirs != KeyKind.Mark)))
                damaged ??= FilePath.Join(from.Keys, name);
            if (!IsWanted(ours, theirs, onlyMarks, replaces) || content.AsSpan().SequenceEqual(copy))
            {
                if (flushesAll)
                    created.Add(target);
                continue;
            }
            BeginWriting();
            if (theirs is KeyKind.Missing or KeyKind.Unfinished)
            {
                using var file = DurableFile.CreateAgain(fileSystem, target);
                file.Write(content, 0);
                created.Add(target);
            }
            else
            {
                Replace(target, content);
            }
            written++;
        }
        // The folder is flushed at the end.
        fileSystem.ForEach(created.Count, at => DurableFile.FlushBytes(fileSystem, created[at]));
        return written;
    }

    private static bool IsWanted(KeyKind ours, KeyKind theirs, bool onlyMarks, bool replaces) => ours switch
    {
        KeyKind.Mark => true,
        KeyKind.Key => !onlyMarks && (theirs is KeyKind.Missing or KeyKind.Unfinished or KeyKind.Damaged || (theirs == KeyKind.Key && replaces)),
        _ => false,
    };

    // As the mark, and as what it is, so that a store that is restored finishes it.
    private long CopyBegun(string name)
    {
        var key = name[..^StoreLayout.ForgettingEnding.Length] + Ending;
        var (kind, mark) = Read(FilePath.Join(from.Keys, name), name);
        // A damaged one left its mark in the file of the key, if it came so far.
        if (kind is KeyKind.Damaged or KeyKind.Unfinished)
            (kind, mark) = Read(FilePath.Join(from.Keys, key), key);
        var target = FilePath.Join(to.Keys, key);
        var (theirs, _) = Read(target, name);
        if (flushesAll)
        {
            DurableFile.FlushBytes(fileSystem, target);
            DurableFile.FlushBytes(fileSystem, FilePath.Join(to.Keys, name));
        }
        if (kind != KeyKind.Mark || theirs == KeyKind.Mark)
            return 0;
        BeginWriting();
        DurableFile.Replace(fileSystem, FilePath.Join(to.Keys, name), mark);
        Replace(target, mark);
        return 1;
    }

    private void RemoveEnded(List<string> begun)
    {
        if (fileSystem.GetKind(to.Keys) != EntryKind.Folder)
            return;
        foreach (var name in fileSystem.List(to.Keys))
        {
            if (!name.EndsWith(StoreLayout.ForgettingEnding, StringComparison.Ordinal) || begun.Contains(name))
                continue;
            var key = name[..^StoreLayout.ForgettingEnding.Length] + Ending;
            if (Read(FilePath.Join(from.Keys, key), key).Kind == KeyKind.Mark)
                fileSystem.Delete(FilePath.Join(to.Keys, name));
        }
        fileSystem.FlushFolder(to.Keys);
    }

    // The former bytes are overwritten where the file system keeps them in place: a key must not be left on the disk.
    private void Replace(string path, byte[] content)
    {
        if (path != FilePath.Join(to.Keys, StoreKeyName))
            KeyFolder.TryErase(fileSystem, path);
        DurableFile.Replace(fileSystem, path, content);
    }

    private (KeyKind Kind, byte[] Content) Read(string path, string name)
    {
        if (SmallFile.Read(fileSystem, path, KeyFile.LengthMax) is not { } content)
            return (KeyKind.Missing, []);
        if (KeyFile.IsUnfinished(content))
            return (KeyKind.Unfinished, content);
        if (name == StoreKeyName)
            return (IsJson(content) ? KeyKind.Key : KeyKind.Damaged, content);
        return KeyFile.Parse(content, out _) switch
        {
            null => (KeyKind.Damaged, content),
            { Key: null } => (KeyKind.Mark, content),
            _ => (KeyKind.Key, content),
        };
    }

    private static bool IsJson(byte[] content)
    {
        try
        {
            using var parsed = JsonDocument.Parse(content);
            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
