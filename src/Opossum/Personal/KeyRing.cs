using System.Collections.Concurrent;
using Opossum.FileSystem;
using Opossum.Storage.Index;

namespace Opossum.Personal;

/// <summary>
/// The keys of persons that a process uses. It keeps them in memory until a person is forgotten: it looks for the event that says so, several times a
/// second while it has keys.
/// </summary>
internal sealed class KeyRing : IDisposable
{
    private const int KeptMax = 20_000;

    // Another process drops a key within a second.
    private static readonly TimeSpan lookInterval = TimeSpan.FromMilliseconds(400);

    // A process that forgets a person may end between removing the key and appending the event.
    private static readonly TimeSpan keptLimit = TimeSpan.FromMinutes(1);

    private static readonly Query forgotten = Query.FromEventTypes(PersonForgotten.Name);

    private readonly KeyFolder folder;
    private readonly IMasterKey? masterKey;
    private readonly bool canWrite;
    private readonly IReadableIndex index;
    private readonly TimeProvider clock;
    private readonly ITimer timer;
    // Null before the first key is used: most processes use none.
    private ConcurrentDictionary<Tag, (SubjectKey? Key, LostMemberReason Reason)>? kept;
    private readonly Lock gate = new();
    private StoreKey? storeKey;
    private int changes;
    private long seen;
    private long keptSince;
    private bool isLooking;

    /// <exception cref="PersonalDataException">The master key is another one than the store's, or the file of the store's key is damaged.</exception>
    public KeyRing(KeyFolder folder, IMasterKey? masterKey, bool canWrite, IReadableIndex index, TimeProvider clock)
    {
        this.folder = folder;
        this.masterKey = masterKey;
        this.canWrite = canWrite;
        this.index = index;
        this.clock = clock;
        seen = index.Published.Contents.Head;
        if (masterKey is not null && StoreKeyFile.Read(folder, masterKey) is { } key)
            storeKey = new StoreKey(key);
        timer = clock.CreateTimer(static ring => ((KeyRing)ring!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The folder of the keys.</summary>
    public KeyFolder Folder => folder;

    /// <summary>Rises when a person may have been forgotten: what was decrypted before should not be kept.</summary>
    public int Changes => Volatile.Read(ref changes);

    /// <summary>Replaces a pseudonym by the tag that stands for it; every other tag is returned as it is.</summary>
    /// <exception cref="PersonalDataException">There is no master key.</exception>
    public Tag Resolve(Tag tag) => tag.IsPseudonym ? Key($"The tag {tag} is a pseudonym").Pseudonym(tag) : tag;

    /// <summary>Replaces the pseudonyms in a query.</summary>
    public Query Resolve(Query query)
    {
        foreach (var item in query.ItemSpan)
        {
            if (item.HasPseudonyms)
                return query.WithTags(Resolve);
        }
        return query;
    }

    /// <summary>Creates the keys of those persons who have none yet, together.</summary>
    /// <param name="subjects">The persons.</param>
    /// <param name="isForState">Whether a person who was forgotten is passed over: a state goes on without the person's values.</param>
    /// <exception cref="PersonalDataException">There is no master key, a person was forgotten, or the folder cannot be written.</exception>
    public void Ensure(IReadOnlyCollection<Tag> subjects, bool isForState = false)
    {
        var ours = Key(isForState ? "The state can have personal data" : "The event has personal data");
        var missing = subjects
            .Where(subject => Find(subject, out var reason) is null && !(isForState && reason == LostMemberReason.Forgotten)).ToList();
        if (missing.Count == 0)
            return;
        folder.WithLock(() =>
        {
            var files = new List<(string, byte[])>(missing.Count);
            foreach (var subject in missing)
            {
                // Order matters: a forgetting that has begun erases the key before it leaves its mark.
                var file = folder.ReadBegun(subject, pastCache: true) ?? folder.Read(subject, pastCache: true);
                if (file is { Key: null } && !isForState)
                    throw Forgotten(subject, file);
                if (file is not null)
                    continue;
                var key = System.Security.Cryptography.RandomNumberGenerator.GetBytes(SubjectKey.Length);
                files.Add((folder.FileOf(subject), KeyFile.OfKey(subject, clock.GetUtcNow(), ours.Wrap(subject, key)).ToBytes()));
            }
            if (files.Count > 0)
                folder.CreateFiles(files);
            return true;
        });
        foreach (var subject in missing)
            Kept.TryRemove(subject, out _);
    }

    /// <summary>Encrypts a value. Null: the person has no key, because the person was forgotten in the meantime.</summary>
    public byte[]? Seal(Tag subject, ReadOnlySpan<byte> value, byte[] place)
    {
        while (Find(subject, out _) is { } key)
        {
            if (key.Seal(value, place) is { } sealedValue)
                return sealedValue;
        }
        return null;
    }

    /// <summary>Decrypts a value.</summary>
    /// <param name="subject">The person.</param>
    /// <param name="sealedValue">The encrypted value.</param>
    /// <param name="place">The place that it is bound to.</param>
    /// <param name="reason">Why it cannot be decrypted, when the key is not there.</param>
    /// <param name="problem">What is wrong with it, as the end of a sentence; null when nothing is.</param>
    /// <exception cref="PersonalDataException">The file of the key is damaged or cannot be read.</exception>
    public byte[]? Open(Tag subject, byte[] sealedValue, byte[] place, out LostMemberReason reason, out string? problem)
    {
        problem = null;
        while (Find(subject, out reason) is { } key)
        {
            if (key.Open(sealedValue, place, out problem) is { } value)
                return value;
            if (problem is not null)
                return null;
        }
        return null;
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

    /// <summary>The same after a person was forgotten here.</summary>
    public void DropForgotten()
    {
        Interlocked.Increment(ref changes);
        Drop();
    }

    public void Dispose()
    {
        timer.Dispose();
        Drop();
    }

    private ConcurrentDictionary<Tag, (SubjectKey? Key, LostMemberReason Reason)> Kept =>
        LazyInitializer.EnsureInitialized(ref kept, static () => []);

    private StoreKey Key(string what)
    {
        if (storeKey is { } known)
            return known;
        if (masterKey is null)
        {
            throw new PersonalDataException(null, $"{what}, and the store was opened without a master key. Set {nameof(OpossumOptions)}."
                + $"{nameof(OpossumOptions.PersonalData)}.{nameof(PersonalDataOptions.MasterKeyFile)}.");
        }
        // A store that cannot be written and has no key yet has no pseudonym either: one that matches nothing is right.
        var key = canWrite ? StoreKeyFile.ReadOrCreate(folder, masterKey) : StoreKeyFile.Read(folder, masterKey);
        if (key is null)
            return new StoreKey(StoreKey.Create());
        return storeKey = new StoreKey(key);
    }

    private SubjectKey? Find(Tag subject, out LostMemberReason reason)
    {
        if (Kept.TryGetValue(subject, out var known))
        {
            reason = known.Reason;
            return known.Key;
        }
        var (key, why) = Load(subject);
        reason = why;
        lock (gate)
        {
            if (Kept.Count >= KeptMax)
                Drop();
            if (!Kept.TryAdd(subject, (key, why)))
            {
                key?.Dispose();
                return Find(subject, out reason);
            }
            if (!isLooking)
            {
                isLooking = true;
                keptSince = clock.GetTimestamp();
                timer.Change(lookInterval, Timeout.InfiniteTimeSpan);
            }
        }
        return key;
    }

    private (SubjectKey? Key, LostMemberReason Reason) Load(Tag subject)
    {
        if (masterKey is null)
            return (null, LostMemberReason.NoMasterKey);
        if (storeKey is null && StoreKeyFile.Read(folder, masterKey) is { } own)
            storeKey = new StoreKey(own);
        if (storeKey is null)
            return (null, LostMemberReason.NoKey);
        if (folder.Read(subject) is not { } file)
            return (null, folder.ReadBegun(subject) is null ? LostMemberReason.NoKey : LostMemberReason.Forgotten);
        if (file.Key is null)
            return (null, LostMemberReason.Forgotten);
        var key = storeKey.Unwrap(subject, file.Key)
            ?? throw new PersonalDataException(folder.FileOf(subject), $"{folder.FileOf(subject)} is damaged: its key is another person's, or "
                + "of another "
            + "store, or was changed. Restore it from a backup of the keys.");
        return (new SubjectKey(key), default);
    }

    private void Look()
    {
        try
        {
            var contents = index.TakeView().Contents;
            // Order matters: an event that comes between the two is looked at again.
            var head = contents.Head;
            var isForgotten = contents.FirstMatch(forgotten, seen) > 0;
            seen = head;
            if (isForgotten)
                Interlocked.Increment(ref changes);
            if (isForgotten || clock.GetElapsedTime(keptSince) >= keptLimit)
                Rest();
            else
                timer.Change(lookInterval, Timeout.InfiniteTimeSpan);
        }
        catch (Exception e) when (e is EventStoreException or FileSystemException or ObjectDisposedException)
        {
            // Whether a person was forgotten is not known.
            Rest();
        }
    }

    // The next use of a key starts the timer again.
    private void Rest()
    {
        lock (gate)
        {
            isLooking = false;
            Drop();
        }
    }

    private static PersonalDataException Forgotten(Tag subject, KeyFile file) => new(null,
        $"The event has personal data of {subject}, who was forgotten on {file.At:yyyy-MM-dd}: a person's key is not made again. Append it "
            + "without the "
            + "personal data, or, if the person has come back, under another identifier. Nothing was appended.");
}
