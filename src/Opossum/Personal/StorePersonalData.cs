using System.Text;
using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Projections;
using Opossum.Serialization;
using Opossum.Storage.Index;

namespace Opossum.Personal;

/// <summary>The personal data of an open store: its keys, and what encrypts, decrypts and forgets with them.</summary>
internal sealed class StorePersonalData : IDisposable
{
    private const int MasterKeyBytesMax = 1024;

    private readonly KeyRing keys;
    private readonly PersonalEvents events;
    private readonly StoreKeys storeKeys;
    private readonly TimeProvider clock;
    private readonly EncryptedEvents stored;
    private readonly Func<DeclaredPersonal> readDeclared;
    private readonly StoreFolder folder;
    private readonly bool canWrite;

    private StorePersonalData(StoreFolder folder, StoreKeys storeKeys, KeyRing keys, EncryptedEvents stored,
        EventSerializer serializer, Func<DeclaredPersonal> readDeclared, bool canWrite, TimeProvider clock)
    {
        this.stored = stored;
        this.readDeclared = readDeclared;
        this.folder = folder;
        this.storeKeys = storeKeys;
        this.keys = keys;
        this.canWrite = canWrite;
        events = new PersonalEvents(keys);
        this.clock = clock;
        Decoder = new EventDecoder(serializer, events, keys);
    }

    public IEventDecoder Decoder { get; }

    /// <summary>Encrypts and decrypts the states of projections.</summary>
    public IStateSealer States => field ??= new PersonalStates(keys);

    /// <summary>The master key of the options; null: they have none.</summary>
    /// <exception cref="PersonalDataException">The file of the master key is missing or cannot be read, or is in the store's folder.</exception>
    public static IMasterKey? FindMasterKey(PersonalDataOptions options, IFileSystem fileSystem, StoreLayout layout) =>
        options.MasterKey ?? (options.MasterKeyFile is { } file ? ReadMasterKey(fileSystem, layout, Path.GetFullPath(file)) : null);

    /// <summary>Opens the keys of a store.</summary>
    /// <param name="masterKey">The master key that <see cref="FindMasterKey"/> has found.</param>
    /// <param name="events">The store's events, which may be read once the store is open.</param>
    /// <param name="readDeclared">Reads which members are personal, once the store is open.</param>
    /// <param name="lockStore">Takes the store's lock; null: the store is open for reading only.</param>
    /// <param name="keysKeptMax">How many keys of persons are kept in memory.</param>
    /// <exception cref="PersonalDataException">The master key is another one than the store's, or the keys cannot be read.</exception>
    public static StorePersonalData Open(OpossumOptions options, IMasterKey? masterKey, StoreFolder folder, IReadableIndex index,
        EncryptedEvents events, EventSerializer serializer, Func<DeclaredPersonal> readDeclared, Func<IDisposable>? lockStore, int keysKeptMax,
        ILogger logger)
    {
        var chosen = options.PersonalData;
        var path = chosen.KeysFolder is { } other ? Path.GetFullPath(other) : folder.Layout.Keys;
        var keyFolder = new KeyFolder(folder, path, options.LockTimeout);
        if (masterKey is null && keyFolder.HasStoreKey)
            StoreLog.OpenedWithoutMasterKey(logger, folder.Root);
        var canWrite = lockStore is not null;
        var storeKeys = new StoreKeys(folder, keyFolder, masterKey, events, chosen.LostStoreKey,
            lockStore ?? (static () => throw new InvalidOperationException("A store that is open for reading only makes no key.")));
        if (storeKeys.FindProblem() is { } problem)
            StoreLog.KeysMissing(logger, folder.Root, problem);
        var keys = new KeyRing(keyFolder, storeKeys, events, masterKey is not null, index, options.TimeProvider, keysKeptMax);
        return new StorePersonalData(folder, storeKeys, keys, events, serializer, readDeclared, canWrite, options.TimeProvider);
    }

    /// <summary>Searches the store's folder for the values of a person in plain.</summary>
    public PersonalDataSearchReport FindInPlain(Tag subject, IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
    {
        storeKeys.ThrowIfMissing($"The values of {subject} are to be searched for");
        var person = keys.Resolve(subject);
        if (keys.WhyUnreadable(person) is { } reason)
            throw new PersonalDataException(null, reason);
        List<Tag> names = [person];
        if (keys.FindOtherNameOf(subject) is { } other)
            names.Add(other);
        var (texts, declared) = (new PersonTexts(), readDeclared());
        List<PersonalDataProblem> unreadable = [];
        foreach (var name in names)
        {
            if (!new PersonTraces(name, keys, declared, stored.Read, texts).Find().HasUnreadable)
                continue;
            unreadable.Add(new PersonalDataProblem
            {
                Path = keys.Folder.FileOf(name),
                Problem = $"The key of {name}, which encrypted some of the values, is not there: these could not be searched for.",
            });
        }
        var found = texts.IsEmpty ? new PersonalDataSearchReport
        {
            Total = 0,
            Hits = [],
            Files = 0,
            Bytes = 0,
            NotSearched = [],
            Person = null,
        }
            : new FolderSearch(folder.FileSystem, folder.Layout, texts.All, TextMatch.Word, keys.Folder.Path, progress, cancellationToken)
                .Run(person: null);
        return unreadable.Count == 0 ? found : found with { NotSearched = [.. found.NotSearched, .. unreadable] };
    }

    /// <summary>What is wrong with the keys, for the status; null when nothing is known.</summary>
    public string? FindKeysProblem()
    {
        try
        {
            return storeKeys.FindProblem();
        }
        catch (PersonalDataException e)
        {
            return e.Message;
        }
    }

    /// <summary>
    /// Refuses an event whose values are lost only while the master key or the store's keys are missing: what is built of it would keep nulls.
    /// </summary>
    /// <exception cref="PersonalDataException">The keys are missing, or were when the event was decrypted.</exception>
    public void ThrowIfKeysAreMissing(SequencedEvent e)
    {
        var what = $"The event at position {e.Position} has personal data";
        if (Has(UnreadableReason.NoMasterKey, e))
        {
            storeKeys.ThrowIfNoMasterKey(what,
                $" A process that is to have none can run this without events of the type {NameRules.Quote(e.Type)}.");
        }
        if (!Has(UnreadableReason.NoKey, e))
            return;
        storeKeys.ThrowIfMissing(what);
        // They may have come back since.
        keys.LookForMissingAgain();
        if (!Has(UnreadableReason.NoKey, e.At(e.Position)))
            throw new PersonalDataException(keys.Folder.Path, $"{what}, whose key has just come back. It is read again.", isTransient: true);

        static bool Has(UnreadableReason reason, SequencedEvent e) => e.UnreadableMembers.Any(each => each.Reason == reason);
    }

    /// <summary>Makes the store's key, if the store never had one, or had one that the options give up.</summary>
    /// <returns>The key's id.</returns>
    public string MakeStoreKey() => storeKeys.OfAppend("The store is to have a key").Id;

    /// <inheritdoc cref="DeclaredPersonal.FindPersonal"/>
    public string? FindPersonal(IEnumerable<TagRule> rules) => rules.Any() ? readDeclared().FindPersonal(rules) : null;

    /// <inheritdoc cref="PersonalEvents.Seal(PreparedEvent[], CancellationToken)"/>
    public void Seal(PreparedEvent[] prepared, CancellationToken cancellationToken = default) => events.Seal(prepared, cancellationToken);

    public Query Resolve(Query query) => keys.Resolve(query);

    /// <summary>The same for a query that decides about an append.</summary>
    public Query ResolveForAppend(Query query) => keys.ResolveForAppend(query);

    public AppendCondition? Resolve(AppendCondition? condition) =>
        condition is null || keys.ResolveForAppend(condition.FailIfEventsMatch) is var query && ReferenceEquals(query, condition.FailIfEventsMatch)
        ? condition
        : condition with { FailIfEventsMatch = query };

    /// <inheritdoc cref="IPersonalData.ForgetAsync"/>
    /// <param name="append">Appends the event that says so.</param>
    /// <param name="makeDurable">Makes the events up to a position durable.</param>
    public async Task<ForgetResult> ForgetAsync(Tag subject, string reason, Func<NewEvent, AppendCondition, Task<AppendResult>> append,
        Action<long> makeDurable, CancellationToken cancellationToken)
    {
        Forgetting.Check(subject, reason);
        if (!canWrite)
            throw new NotSupportedException($"The store in {folder.Root} is open for reading only. To forget a person, open it for writing.");
        return await Task.Run(() => ForgetAsync(subject, reason, append, makeDurable), cancellationToken).ConfigureAwait(false);
    }

    public void Dispose() => keys.Dispose();

    private async Task<ForgetResult> ForgetAsync(Tag subject, string reason, Func<NewEvent, AppendCondition, Task<AppendResult>> append,
        Action<long> makeDurable)
    {
        storeKeys.ThrowIfNotOurs($"{subject} is to be forgotten");
        var (forgetting, workFiles) = (new Forgetting(keys, storeKeys, clock), new WorkFiles(folder.FileSystem, folder.Layout));
        var declared = readDeclared();
        // A member may name the person by the identifier, and a tag by its pseudonym: there is a key for each.
        var person = keys.ResolveForAppend(subject);
        List<Tag> both = keys.FindOtherNameOf(subject) is { } other ? [person, other] : [person];
        var names = both.FindAll(keys.IsKnown);
        if (names.Count == 0)
            names.Add(person);
        // After an import there is the event, and no mark.
        var told = names.ConvertAll(keys.FindForgotten);
        // Those of the names first. Under a name without a key there may be plain values.
        var traces = names.Concat(both.Except(names)).Select(Trace).ToList();
        var (blanked, remaining) = (new SortedSet<string>(StringComparer.Ordinal), new SortedDictionary<string, string>(StringComparer.Ordinal));
        // Order matters: without the keys, texts cannot be found, and stay. An interrupted call does all of it again.
        Blank();
        var notSearched = names.Select(keys.WhyUnreadable).FirstOrDefault(static each => each is not null);
        // Order matters: it has begun under all names before a key is erased, which may fail, or the person would get values under another name.
        var marks = names.ConvertAll(Begin);
        // The other name of a pseudonym is not written anywhere: the pseudonym is computed from it.
        if (both.Find(each => each.MayBeStoredPseudonym && !names.Contains(each)) is { Key: not null } pseudonym
            && !forgetting.TryMark(pseudonym, marks[0]))
        {
            names.Add(pseudonym);
            told.Add(keys.FindForgotten(pseudonym));
            traces[^1] = Trace(pseudonym);
            Blank();
            marks.Add(Begin(pseudonym));
        }
        // Order matters: all keys before one forgetting ends, or after a crash nothing would say that a key is left.
        var removed = names.Zip(marks, (name, mark) => (IsOver: forgetting.RemoveKey(name, mark, out var hadKey), HadKey: hadKey)).ToList();
        var results = new List<(DateTimeOffset Forgotten, long? Position)>();
        try
        {
            for (var at = 0; at < names.Count; at++)
            {
                var (mark, (isOver, hadKey)) = (marks[at], removed[at]);
                // The event was cut off, or is not in the backup that the store was restored from.
                isOver &= told[at] is not null;
                long? position = null;
                if (!isOver)
                {
                    position = await AppendAsync(mark, append).ConfigureAwait(false);
                    if (position is { } last)
                        makeDurable(last);
                    forgetting.End(names[at]);
                    if (traces[at].HasUnreadable)
                        notSearched ??= "The key of some of the person's values was gone already, so these could not be searched for.";
                }
                results.Add(isOver || (told[at] is not null && !hadKey) ? (told[at] ?? mark.At, null) : (mark.At, position));
            }
        }
        finally
        {
            // What a handler wrote that was at work meanwhile.
            remaining.Clear();
            Blank();
        }
        var plain = traces.SelectMany(static each => each.Plain).Distinct().ToList();
        // Of two names one may have been forgotten before.
        var (forgotten, positionOf) = results.Find(static each => each.Position is not null) is { Position: not null } now ? now : results[0];
        return new ForgetResult
        {
            Subject = person,
            Forgotten = forgotten,
            Position = positionOf,
            HadKey = removed.Exists(static each => each.HadKey),
            Blanked = blanked.Count == 0 ? [] : [.. blanked],
            Remaining = remaining.Count == 0 ? [] : [.. remaining.Select(static each => new PersonalDataProblem
            {
                Path = each.Key,
                Problem = each.Value,
            })],
            PlainEvents = plain.Count == 0 ? [] : [.. plain],
            NotSearched = notSearched,
        };

        PersonTraces Trace(Tag name) => new PersonTraces(name, keys, declared, stored.Read).Find();

        KeyFile Begin(Tag name) => forgetting.Begin(name, reason);

        void Blank() => traces.ForEach(each => workFiles.Blank(each.Texts, blanked, remaining));
    }

    // The event is there already when an earlier call was interrupted, or in a store that was restored without its keys.
    private static async Task<long?> AppendAsync(KeyFile mark, Func<NewEvent, AppendCondition, Task<AppendResult>> append)
    {
        try
        {
            return (await append(Forgetting.EventOf(mark), Forgetting.ConditionOf(mark)).ConfigureAwait(false)).FirstPosition;
        }
        catch (AppendConditionFailedException e)
        {
            return e.ConflictingPosition;
        }
    }

    private static MasterKey ReadMasterKey(IFileSystem fileSystem, StoreLayout layout, string file)
    {
        if (FilePath.IsIn(file, layout.Root))
        {
            throw new PersonalDataException(file, $"The file of the master key, {file}, is in the store's folder: a copy of the store would "
                + "hold the key. "
                + "Move it to another folder.");
        }
        try
        {
            using var opened = fileSystem.Open(file, FileOpening.Read)
                ?? throw new PersonalDataException(file, $"The file of the master key, {file}, is missing. Restore it, or, for a store without "
                    + "personal data so far, create one (opossum master-key new, MasterKey.Create).");
            var bytes = new byte[MasterKeyBytesMax];
            return MasterKey.FromText(Encoding.UTF8.GetString(bytes.AsSpan(0, opened.Read(bytes, 0))));
        }
        catch (FileSystemException e)
        {
            throw new PersonalDataException(file, $"The file of the master key cannot be read. {e.Message}", e.Error == FileError.InUse, e);
        }
        catch (FormatException e)
        {
            throw new PersonalDataException(file, $"{file} is not the file of a master key. {e.Message}");
        }
    }
}
