using Opossum.FileSystem;

namespace Opossum.Personal;

/// <summary>
/// Finds the store's own key, and makes it where the store never had one. Which key is the store's is noted in the store, so that no folder without
/// keys, and none with those of another store, is taken for it.
/// </summary>
/// <param name="masterKey">The master key; null: there is none.</param>
/// <param name="lostKey">The id of the store key that the operator has given up; null: none.</param>
/// <param name="lockStore">Takes the store's lock, under which the note is written.</param>
internal sealed class StoreKeys(StoreFolder store, KeyFolder folder, IMasterKey? masterKey, EncryptedEvents events, string? lostKey,
    Func<IDisposable> lockStore)
{
    // For reading, and, once the store's note was compared with it, for what is stored.
    private StoreKey? known;
    private StoreKey? noted;
    private bool isMissed;

    /// <summary>The key, for a process that only reads: null when there is none, or it is not the store's.</summary>
    /// <exception cref="PersonalDataException">The master key is another one, or the file of the key is damaged.</exception>
    public StoreKey? Find()
    {
        if (known is not null || masterKey is null)
            return known;
        // Of another store's key nothing is asked of the master key, which may be a service far away.
        var id = ReadMark()?.KeyId;
        if (id is not null && StoreKeyFile.TryReadId(folder, out var theirs) && theirs is not null && theirs != id)
            return null;
        if (StoreKeyFile.Read(folder, masterKey) is not { } bytes)
            return null;
        var key = new StoreKey(bytes);
        return id is not null && id != key.Id ? null : known = key;
    }

    /// <summary>The key for pseudonyms that are looked for. Where the store never had a key, no event has one: any key is right.</summary>
    /// <exception cref="PersonalDataException">There is no master key, or the store's key is missing.</exception>
    public StoreKey OfQuery(string what)
    {
        if (Find() is { } key)
            return key;
        ThrowIfNoMasterKey(what);
        ThrowIfMissing(what);
        // The key again after the event: another process makes the key first, then appends the event.
        return events.HasAny() ? Find() ?? throw MissingUnnoted(what) : new StoreKey(StoreKey.Create());
    }

    /// <summary>The key, for what is to be encrypted or stored as a pseudonym: it is made if the store never had one.</summary>
    /// <exception cref="PersonalDataException">There is no master key, or the store's key is missing.</exception>
    public StoreKey OfAppend(string what, CancellationToken cancellationToken = default)
    {
        if (noted is not null)
            return noted;
        ThrowIfNoMasterKey(what);
        // Before the folder's lock, which makes the folder, and the store's, which must not be held for long. Of a key
        // that is given up, another process may be making the next one: under both locks it is there, or is made.
        if (!IsGivenUp(ReadMark()))
            ThrowIfMissing(what);
        // And the key again after the event, as in OfQuery.
        if (!HasKey() && events.HasAny() && !HasKey() && !IsGivenUp(mark: null))
            throw MissingUnnoted(what);
        return folder.WithLock(() =>
        {
            using var held = lockStore();
            var key = Note(what);
            // Another process may have made it, or noted it, and ended before that was durable.
            if (folder.ReadBytes(folder.StoreKeyFile, pastCache: true) is [.., KeyFile.EndUntilDurable])
                folder.MakeDurable([folder.StoreKeyFile]);
            DurableFile.FlushFound(store.FileSystem, store.Layout.PersonalFile);
            store.FileSystem.FlushFolder(store.Root);
            return noted = known = key;
        }, cancellationToken);
    }

    /// <summary>Checks, before a person's key is made, that the store's key is still in the folder: a volume may have gone meanwhile.</summary>
    /// <exception cref="PersonalDataException">It is not.</exception>
    public void ThrowIfGone(string what, bool pastCache = false)
    {
        if (FindProblem(new StoreKeyMark(noted!.Id), folder, pastCache) is { } problem)
            throw Refused(what, problem);
    }

    /// <summary>Why the keys in the folder cannot be the store's, and what to do; null when nothing is known against them.</summary>
    /// <exception cref="PersonalDataException">A file cannot be read.</exception>
    public string? FindProblem() => FindProblem(ReadMark() ?? (isMissed ? StoreKeyMark.Unknown : null), folder);

    /// <inheritdoc cref="FindProblem()"/>
    public static string? FindProblem(StoreKeyMark? mark, KeyFolder folder, bool pastCache = false)
    {
        if (mark is null)
            return null;
        if (!StoreKeyFile.TryReadId(folder, out var id, pastCache))
        {
            return $"The keys of the store's personal data are missing: {folder.StoreKeyFile} is not there, or was cut off, and the store's values "
                + $"need its key, {mark}. Put the folder of keys there again, from its volume or a backup of the keys, or name where it is "
                + $"(PersonalData.{nameof(PersonalDataOptions.KeysFolder)}, --keys). Until then personal data reads as lost, and none is stored. "
                + "Only if the keys are lost for good: \"opossum keys replace\", or "
                + $"PersonalData.{nameof(PersonalDataOptions.LostStoreKey)} = \"{mark}\", lets the store make new ones.";
        }
        return id is not null && mark.KeyId is not null && id != mark.KeyId ? OfAnother(folder, id, mark) : null;
    }

    private static string OfAnother(KeyFolder folder, string id, StoreKeyMark mark) =>
        $"{folder.Path} has the keys of another store: its store key is {id}, and this store's is {mark}. Each store has a folder of keys "
            + $"of its own. Name the folder with the store's keys (PersonalData.{nameof(PersonalDataOptions.KeysFolder)}, --keys), or restore them "
            + "from a backup of the keys. Until then personal data reads as lost, and none is stored.";

    /// <summary>Takes note of an encrypted value that was met although there is no key.</summary>
    public void NoteMissed() => isMissed = true;

    /// <param name="hasBegun">Whether something was done before, which the next call continues.</param>
    /// <exception cref="PersonalDataException">The keys in the folder cannot be the store's.</exception>
    public void ThrowIfMissing(string what, bool hasBegun = false)
    {
        // Looked at again: another process may have made a key between the looks at the note and at the file.
        if (FindProblem() is not null && FindProblem() is { } problem && !(IsGivenUp(ReadMark()) && !StoreKeyFile.TryReadId(folder, out _)))
            throw Refused(what, problem, hasBegun);
    }

    /// <summary>The same, and checks that the keys are not those of another store with the same folder: none of them is to be removed.</summary>
    /// <exception cref="PersonalDataException">They are, or there is no master key, without which that cannot be told.</exception>
    public void ThrowIfNotOurs(string what)
    {
        ThrowIfMissing(what);
        var mark = ReadMark();
        if (mark?.KeyId is not null || StoreKeyFile.FindStore(folder) is not { } maker || maker == store.Id)
            return;
        if (masterKey is null)
            throw Refused(what, FindProblem() ?? OfAnother(folder, $"that of {maker}", mark ?? StoreKeyMark.Unknown));
        OfAppend(what);
    }

    // Under both locks. What was judged without them is judged again.
    private StoreKey Note(string what)
    {
        var mark = ReadMark();
        // Who has the key continues with it, also after it was encrypted with another master key.
        if (known is not null && mark?.KeyId == known.Id && StoreKeyFile.TryReadId(folder, out var id, pastCache: true) && id == known.Id)
            return known;
        if (StoreKeyFile.Read(folder, masterKey!, pastCache: true) is not { } bytes)
            return Make(what, mark);
        var key = new StoreKey(bytes);
        if (mark?.KeyId == key.Id)
            return key;
        // A process that made it in place of one that is given up may have ended before the note.
        var isNew = IsGivenUp(mark) && !folder.HasKeyOfPerson();
        if (!isNew && (mark?.KeyId is not null || !IsOurs(key, mark)))
            throw Refused(what, OfAnother(folder, key.Id, mark ?? StoreKeyMark.Unknown));
        new StoreKeyMark(key.Id).Write(store.FileSystem, store.Layout);
        return key;
    }

    // Where no note names it. A store that was imported has the keys of another; one without personal data may have the same folder as another.
    private bool IsOurs(StoreKey key, StoreKeyMark? mark) => events.AreOf(key, folder)
        ?? (mark is not null || events.HasAny() || StoreKeyFile.FindStore(folder, pastCache: true) switch
        {
            { } maker => maker == store.Id,
            null => !folder.HasKeyOfPerson(),
        });

    private StoreKey Make(string what, StoreKeyMark? mark)
    {
        if ((mark is not null || events.HasAny()) && !IsGivenUp(mark))
            throw Missing(what, mark);
        // Another key would decrypt none of them.
        if (folder.HasKeyOfPerson())
        {
            throw new PersonalDataException(folder.StoreKeyFile, $"{folder.StoreKeyFile} is missing or was cut off, and the keys of persons in "
                + $"{folder.Path} can be decrypted with it alone. Restore it from a backup of the keys, or, if it is lost for good, move the folder "
                + "away. Nothing was changed.");
        }
        var bytes = StoreKey.Create();
        var key = new StoreKey(bytes);
        folder.CreateFiles([(folder.StoreKeyFile, StoreKeyFile.Wrap(masterKey!, bytes, store.Id))]);
        // Last: a note of a key that is nowhere would have every append refused.
        new StoreKeyMark(key.Id).Write(store.FileSystem, store.Layout);
        return key;
    }

    private bool HasKey() => ReadMark()?.KeyId is not null || StoreKeyFile.TryReadId(folder, out _);

    private bool IsGivenUp(StoreKeyMark? mark) => lostKey is not null && lostKey == $"{mark ?? StoreKeyMark.Unknown}";

    private StoreKeyMark? ReadMark()
    {
        try
        {
            return StoreKeyMark.Read(store.FileSystem, store.Layout);
        }
        catch (FileSystemException e)
        {
            throw new PersonalDataException(e.Path, $"{store.Layout.PersonalFile} cannot be read. {e.Message} Check that it is a file that this user "
                + "can read. Then try again.", isTransient: e.Error == FileError.InUse, e);
        }
    }

    /// <param name="otherwise">What is possible without one; null: nothing. Another process, with the key, may do it then.</param>
    public void ThrowIfNoMasterKey(string what, string? otherwise = null)
    {
        if (masterKey is null)
        {
            throw new PersonalDataException(null, $"{what}, and the store was opened without a master key. Give it one "
                + $"(PersonalData.{nameof(PersonalDataOptions.MasterKeyFile)}, --master-key).{otherwise}", isTransient: otherwise is not null);
        }
    }

    // In a copy of the event files alone.
    private PersonalDataException MissingUnnoted(string what)
    {
        NoteMissed();
        return Missing(what, mark: null);
    }

    private PersonalDataException Missing(string what, StoreKeyMark? mark) =>
        Refused(what, FindProblem(mark ?? StoreKeyMark.Unknown, folder)!);

    private PersonalDataException Refused(string what, string problem, bool hasBegun = false) => new(folder.StoreKeyFile,
        hasBegun ? $"{what}, and that has begun. {problem} Then call again: it is continued." : $"{what}, and nothing was done. {problem}",
        isTransient: true);
}
