using System.Collections.Concurrent;
using System.Globalization;
using Opossum.Storage.Index;

namespace Opossum.Personal;

/// <summary>
/// The keys of persons that a process uses. It keeps them in memory until a person is forgotten: it looks for the event that says so, several times a
/// second while it has keys.
/// </summary>
internal sealed class KeyRing : IDisposable
{
    /// <summary>When this number of keys is kept, all are dropped: tests keep fewer.</summary>
    public const int KeptMaxDefault = 20_000;

    // Another process drops a key within a second.
    private static readonly TimeSpan lookInterval = TimeSpan.FromMilliseconds(400);

    // A process that forgets a person may end between removing the key and appending the event.
    private static readonly TimeSpan keptLimit = TimeSpan.FromMinutes(1);

    private readonly KeyFolder folder;
    private readonly StoreKeys storeKeys;
    private readonly EncryptedEvents events;
    private readonly bool hasMasterKey;
    private readonly IReadableIndex index;
    private readonly TimeProvider clock;
    private readonly int keptMax;
    // Null before the first key is used: most processes use none.
    private ITimer? timer;
    private ConcurrentDictionary<Tag, KeptKey>? kept;
    // Persons whose encrypted values were met, and whose key was not there. A new key would be in the way of the lost one.
    private HashSet<Tag>? missed;
    private readonly Lock gate = new();
    private int changes;
    private int made;
    private long seen;
    private long keptSince;
    private bool isLooking;

    /// <exception cref="PersonalDataException">The master key is another one than the store's, or the file of the store's key is damaged.</exception>
    public KeyRing(KeyFolder folder, StoreKeys storeKeys, EncryptedEvents events, bool hasMasterKey, IReadableIndex index, TimeProvider clock,
        int keptMax)
    {
        this.folder = folder;
        this.storeKeys = storeKeys;
        this.events = events;
        this.hasMasterKey = hasMasterKey;
        this.index = index;
        this.clock = clock;
        this.keptMax = keptMax;
        seen = index.Published.Contents.Head;
        storeKeys.Find();
    }

    public KeyFolder Folder => folder;

    /// <summary>Rises when a person may have been forgotten: what was decrypted before should not be kept.</summary>
    public int Changes => Volatile.Read(ref changes);

    /// <summary>The same after a look for what other processes did: while no keys are kept, nothing else looks.</summary>
    public int LookForChanges()
    {
        LookForForgotten(index.TakeView(pastCache: true).Contents);
        return Changes;
    }

    /// <summary>Replaces a pseudonym that is looked for; every other tag is returned as it is.</summary>
    /// <exception cref="PersonalDataException">There is no master key, or the keys are missing.</exception>
    public Tag Resolve(Tag tag) => tag.IsPseudonym ? storeKeys.OfQuery($"The tag {tag} is a pseudonym").Pseudonym(tag) : tag;

    /// <summary>Replaces the pseudonyms in a query.</summary>
    public Query Resolve(Query query) => query.HasPseudonyms ? query.WithTags(Resolve) : query;

    /// <summary>Replaces a pseudonym that is stored, or decides about an append.</summary>
    /// <exception cref="PersonalDataException">There is no master key, or the keys are missing.</exception>
    public Tag ResolveForAppend(Tag tag) => tag.IsPseudonym ? storeKeys.OfAppend($"The tag {tag} is a pseudonym").Pseudonym(tag) : tag;

    /// <summary>The same for the pseudonyms in a query.</summary>
    public Query ResolveForAppend(Query query) => query.HasPseudonyms ? query.WithTags(ResolveForAppend) : query;

    /// <summary>
    /// The person as tags of events name that person: by the pseudonym, where an event has it. A state knows the identifier alone.
    /// </summary>
    public Tag AsTagged(Tag subject) => OtherNameOf(subject) is { } other && events.Has(other) ? other : subject;

    /// <summary>
    /// The pseudonym of an identifier, and the identifier of a pseudonym that is not yet replaced; null: it is not known.
    /// </summary>
    public Tag? OtherNameOf(Tag subject) => subject.IsPseudonym ? new Tag(subject.Key, subject.PseudonymOf)
        : subject.MayBeStoredPseudonym ? null
        : storeKeys.Find()?.Pseudonym(subject.Key, subject.Value);

    /// <summary>
    /// The same also for a pseudonym as events have it: its identifier is that of one of the keys and marks, which are all looked at.
    /// </summary>
    public Tag? FindOtherNameOf(Tag subject)
    {
        if (!subject.MayBeStoredPseudonym || storeKeys.Find() is not { } storeKey)
            return OtherNameOf(subject);
        var found = folder.FindPersons().FirstOrDefault(each =>
            each.Key == subject.Key && !each.MayBeStoredPseudonym && storeKey.Pseudonym(each.Key, each.Value) == subject);
        return found.Key is null ? null : found;
    }

    /// <summary>
    /// Whether a person has a key under this name, also one whose file is damaged or was left in the store's folder, or was forgotten under it, or a
    /// forgetting has begun.
    /// </summary>
    public bool IsKnown(Tag subject) => folder.HasBegun(subject) || folder.ReadWhateverItIs(subject, out var isDamaged) is { IsOfOtherName: false }
        || isDamaged || folder.FindLeftInStore(subject) is not null || FindForgotten(subject) is not null;

    /// <summary>When a person was forgotten, as the store's events say; null: never.</summary>
    public DateTimeOffset? FindForgotten(Tag subject) => events.FindForgotten(subject);

    /// <summary>Creates the keys of those persons who have none yet, together, and sees to it that those of all are durable.</summary>
    /// <param name="isForState">
    /// Whether a person who was forgotten, or whose key is lost, is passed over: a state continues without the person's values.
    /// </param>
    /// <exception cref="PersonalDataException">
    /// There is no master key, the keys or that of a person are missing, a person was forgotten, or the folder cannot be written.
    /// </exception>
    /// <exception cref="OperationCanceledException">It was cancelled while another process kept the folder.</exception>
    public void Ensure(IReadOnlyCollection<Tag> subjects, bool isForState = false, CancellationToken cancellationToken = default)
    {
        var what = isForState ? "The state can have personal data" : "The event has personal data";
        var ours = storeKeys.OfAppend(what, cancellationToken);
        // The state's values may be null because they could not be read: it must not take the place of one that has them.
        if (isForState && missed is not null)
            storeKeys.ThrowIfGone(what);
        var missing = subjects.Where(subject => Find(subject, out var reason) is { } key
            ? !key.IsDurable || (!isForState && IsBeingForgotten(subject, key))
            : !(isForState && reason == UnreadableReason.Forgotten)).ToList();
        if (missing.Count == 0)
            return;
        // Before the lock of the folder, which makes the folder.
        storeKeys.ThrowIfGone(what);
        var lost = missing.FindAll(subject => FindLost(subject, isForState));
        folder.WithLock(() =>
        {
            storeKeys.ThrowIfGone(what, pastCache: true);
            var files = new List<(string, byte[])>(missing.Count);
            var there = new List<string>();
            foreach (var subject in missing)
            {
                // A forgetting that has begun erases the key before it leaves its mark.
                var file = folder.FindBegun(subject, out var isBegun, pastCache: true) ?? folder.Read(subject, pastCache: true);
                if (file is { Key: null } && !isForState)
                    throw Forgotten(subject, file.At);
                if (file is null && isBegun && !isForState)
                {
                    throw new PersonalDataException(folder.BegunFileOf(subject), $"{folder.BegunFileOf(subject)} is damaged, but says by its name "
                        + $"that forgetting {subject} has begun. Forget the person again to finish it. Nothing was appended.");
                }
                // Another process has made it, and may have ended before it was durable.
                if (file is { Key: not null, IsDurable: false })
                    there.Add(folder.FileOf(subject));
                if (file is not null || isBegun || lost.Contains(subject))
                    continue;
                if (OtherNameOf(subject) is { } other && FindMark(other) is { } time)
                {
                    if (isForState)
                        continue;
                    throw Forgotten(subject, time);
                }
                var key = System.Security.Cryptography.RandomNumberGenerator.GetBytes(SubjectKey.Length);
                files.Add((folder.FileOf(subject),
                    KeyFile.OfKey(subject, clock.GetUtcNow(), ours.Wrap(subject, key), SubjectKey.IdOf(key)).ToBytes()));
            }
            if (files.Count > 0)
                folder.CreateFiles(files);
            if (there.Count > 0)
                folder.MakeDurable(there);
            return true;
        }, cancellationToken);
        // Counted before the removal, or a thread that looked earlier could keep that the key is missing.
        lock (gate)
            made++;
        foreach (var subject in missing)
        {
            if (Kept.TryRemove(subject, out var former))
                former.Key?.Dispose();
        }
    }

    /// <summary>Encrypts a value. Null: the person was forgotten in the meantime.</summary>
    /// <inheritdoc cref="Ensure"/>
    public byte[]? Seal(Tag subject, ReadOnlySpan<byte> value, byte[] place, bool isForState = false)
    {
        while (Find(subject, out _) is { } key && (isForState || !IsBeingForgotten(subject, key)))
        {
            if (key.Seal(value, place) is { } sealedValue)
                return sealedValue;
        }
        return null;
    }

    /// <summary>Decrypts a value.</summary>
    /// <param name="reason">Why it cannot be decrypted, when the key is not there.</param>
    /// <param name="problem">What is wrong with it, as the end of a sentence; null when nothing is.</param>
    /// <exception cref="PersonalDataException">The file of the key is damaged or cannot be read.</exception>
    public byte[]? Open(Tag subject, byte[] sealedValue, byte[] place, out UnreadableReason reason, out string? problem)
    {
        problem = null;
        while (Find(subject, out reason) is { } key)
        {
            if (key.Open(sealedValue, place, out var isOfAnotherKey, out problem) is { } value)
                return value;
            if (isOfAnotherKey)
                reason = UnreadableReason.NoKey;
            if (isOfAnotherKey || problem is not null)
                return null;
        }
        if (reason == UnreadableReason.NoKey)
            NoteMissed(subject);
        return null;
    }

    /// <summary>Why the values of a person cannot be decrypted, for the result of a forgetting; null when they can, or there are none.</summary>
    public string? WhyUnreadable(Tag subject)
    {
        try
        {
            if (!hasMasterKey && (folder.HasStoreKey || folder.Read(subject) is { Key: not null }))
            {
                return "The store was opened without a master key, so neither the person's values nor a key under the person's other name, a "
                    + "pseudonym or its identifier, could be searched for: such a key stays. Call again with the master key.";
            }
            Find(subject, out _);
            return null;
        }
        catch (PersonalDataException e)
        {
            return $"The person's values could not be searched for. {e.Message}";
        }
    }

    /// <summary>Has keys that were missing looked for at their next use: they may have come back.</summary>
    public void LookForMissingAgain()
    {
        var isAnyMissing = false;
        foreach (var (subject, entry) in Kept)
            isAnyMissing |= entry is { Key: null, Reason: UnreadableReason.NoKey } && Kept.TryRemove(subject, out _);
        if (isAnyMissing)
            Interlocked.Increment(ref changes);
    }

    /// <summary>Removes all keys from memory.</summary>
    public void Drop()
    {
        lock (gate)
        {
            if (kept is null)
                return;
            foreach (var subject in kept.Keys)
            {
                if (kept.TryRemove(subject, out var entry))
                    entry.Key?.Dispose();
            }
        }
    }

    /// <summary>The same after a person was forgotten, or may have been.</summary>
    public void DropForgotten()
    {
        // Twice: who decrypts between the two uses a key that is being dropped, and must not keep what it gave.
        Interlocked.Increment(ref changes);
        Drop();
        Interlocked.Increment(ref changes);
    }

    public void Dispose()
    {
        timer?.Dispose();
        Drop();
    }

    private ConcurrentDictionary<Tag, KeptKey> Kept =>
        LazyInitializer.EnsureInitialized(ref kept, static () => []);

    private void NoteMissed(Tag subject)
    {
        if (storeKeys.Find() is null)
            storeKeys.NoteMissed();
        lock (gate)
            (missed ??= []).Add(subject);
    }

    // Whether a forgetting has begun and has not removed the key yet. Looked for once while the key is kept.
    private bool IsBeingForgotten(Tag subject, SubjectKey key)
    {
        if (!key.IsForNewValues)
            key.IsForNewValues = !folder.HasBegun(subject);
        return !key.IsForNewValues;
    }

    // Whether values of the person are encrypted, so that the key, which is not there, must not be replaced by another one.
    private bool FindLost(Tag subject, bool isForState)
    {
        if ((FindForgotten(subject) ?? (OtherNameOf(subject) is { } other ? FindForgotten(other) : null)) is { } time)
            return isForState ? true : throw Forgotten(subject, time);
        bool isMissed;
        lock (gate)
            isMissed = missed?.Contains(subject) == true;
        var position = isMissed ? null : events.Find(subject);
        // The key after the event that it encrypted: another process makes the key first, then appends the event.
        if (!(isMissed || position is not null) || folder.HasBegun(subject, pastCache: true)
            || folder.Read(subject, pastCache: true) is not null)
        {
            return false;
        }
        if (isForState)
            return true;
        var place = position is null ? "the store" : string.Create(CultureInfo.InvariantCulture, $"the event at position {position}");
        throw new PersonalDataException(folder.FileOf(subject), $"The event has personal data of {subject}, whose key is missing: "
            + $"{folder.FileOf(subject)} is not there, but {place} has values that it encrypted. Restore it from a backup of the keys; if it is lost "
            + "for good, forget the person, and go on under another identifier. Nothing was appended.", isTransient: true);
    }

    // When a person was forgotten, as the folder says, under its lock. A damaged file tells no time.
    private DateTimeOffset? FindMark(Tag subject)
    {
        var begun = folder.FindBegun(subject, out var isBegun, pastCache: true);
        return (begun ?? folder.ReadWhateverItIs(subject, pastCache: true)) is { Key: null } mark ? mark.At : isBegun ? clock.GetUtcNow() : null;
    }

    private SubjectKey? Find(Tag subject, out UnreadableReason reason)
    {
        while (true)
        {
            // Order matters: read before the key, or the key of a person who is forgotten in between would be kept.
            var contents = index.Published.Contents;
            LookForForgotten(contents);
            var (head, before, madeBefore) = (contents.Head, Changes, Volatile.Read(ref made));
            if (Kept.TryGetValue(subject, out var known))
            {
                reason = known.Reason;
                if (reason != UnreadableReason.NoKey || known.Head == head)
                    return known.Key;
                Kept.TryRemove(new KeyValuePair<Tag, KeptKey>(subject, known));
            }
            var (key, why) = Load(subject);
            if (TryKeep(subject, new KeptKey(key, why, head), before, madeBefore))
            {
                reason = why;
                return key;
            }
            key?.Dispose();
        }
    }

    // False when another thread keeps one, or a person was forgotten while it was read.
    private bool TryKeep(Tag subject, KeptKey found, int before, int madeBefore)
    {
        lock (gate)
        {
            if (Changes != before || (found.Key is null && made != madeBefore))
                return false;
            if (Kept.Count >= keptMax)
                Drop();
            if (!Kept.TryAdd(subject, found))
                return false;
            if (!isLooking)
            {
                isLooking = true;
                keptSince = clock.GetTimestamp();
                timer ??= clock.CreateTimer(static ring => ((KeyRing)ring!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
                timer.Change(lookInterval, Timeout.InfiniteTimeSpan);
            }
            return true;
        }
    }

    private (SubjectKey? Key, UnreadableReason Reason) Load(Tag subject)
    {
        if (!hasMasterKey)
            return (null, UnreadableReason.NoMasterKey);
        // The event decides. The folder may come from a backup of a time when the person was not forgotten yet.
        if (FindForgotten(subject) is not null)
            return (null, UnreadableReason.Forgotten);
        if (storeKeys.Find() is not { } storeKey)
            return (null, UnreadableReason.NoKey);
        if (folder.Read(subject) is not { } file)
            return (null, folder.HasBegun(subject) ? UnreadableReason.Forgotten : UnreadableReason.NoKey);
        if (file.Key is null)
            return (null, UnreadableReason.Forgotten);
        var key = storeKey.Unwrap(subject, file.Key)
            ?? throw new PersonalDataException(folder.FileOf(subject), $"{folder.FileOf(subject)} is damaged: its key is another person's, or "
                + "of another "
            + "store, or was changed. Restore it from a backup of the keys.");
        return (new SubjectKey(key) { IsDurable = file.IsDurable }, default);
    }

    private void Look()
    {
        try
        {
            LookForForgotten(index.TakeView(pastCache: true).Contents);
            if (Kept.IsEmpty || clock.GetElapsedTime(keptSince) >= keptLimit)
            {
                Rest();
            }
            else
            {
                LookForMissingAgain();
                timer!.Change(lookInterval, Timeout.InfiniteTimeSpan);
            }
        }
        catch (Exception)
        {
            // Whether a person was forgotten is not known. Thrown out of a timer, an exception would end the process.
            Rest();
        }
    }

    private void LookForForgotten(IndexContents contents)
    {
        if (contents.Head <= Volatile.Read(ref seen))
            return;
        lock (gate)
        {
            // An event that comes between the two is looked at again.
            var head = contents.Head;
            if (contents.HasForgottenAfter(seen))
                DropForgotten();
            seen = Math.Max(seen, head);
        }
    }

    // The next use of a key starts the timer again.
    private void Rest()
    {
        lock (gate)
        {
            isLooking = false;
            DropForgotten();
        }
    }

    private static PersonalDataException Forgotten(Tag subject, DateTimeOffset time) => new(null,
        string.Create(CultureInfo.InvariantCulture,
            $"The event has personal data of {subject}, who was forgotten on {time:yyyy-MM-dd}: a person's key is not made again. Append it ")
            + "without the personal data, or, if the person has come back, under another identifier. Nothing was appended.")
    {
        ForgottenPerson = subject,
    };

    // The head is the last position that was known before the key was looked for: of a key that was missing then, later events may have values.
    private sealed record KeptKey(SubjectKey? Key, UnreadableReason Reason, long Head);
}
