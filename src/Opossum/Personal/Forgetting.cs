namespace Opossum.Personal;

/// <summary>Forgets persons. A second call continues where a first one ended.</summary>
internal sealed class Forgetting(KeyRing keys, StoreKeys storeKeys, TimeProvider clock)
{
    /// <summary>Notes durably that it has begun, unless the person was forgotten before.</summary>
    /// <returns>The mark.</returns>
    /// <exception cref="PersonalDataException">The keys are missing: their volume may have gone since the forgetting began.</exception>
    // Invariant: from the first write on, a durable file says that the person is forgotten, that of the forgetting that
    // has begun or the mark, so no process makes another key. So the first is there before the key is erased, which
    // then looks like one that was never written, and is deleted only once the mark is there and the event stored.
    public KeyFile Begin(Tag subject, string reason)
    {
        var folder = keys.Folder;
        var begun = folder.WithLock(() =>
        {
            storeKeys.ThrowIfMissing($"{subject} is to be forgotten", hasBegun: true);
            // A damaged file is replaced too: what a forgetting began with is in the mark, if it came so far.
            if (folder.FindBegun(subject, out var isBegun, pastCache: true) is { } earlier)
                return earlier;
            var own = OwnMark(folder.ReadWhateverItIs(subject, pastCache: true));
            if (!isBegun && own is not null)
                return own;
            var mark = own ?? KeyFile.OfForgotten(subject, clock.GetUtcNow(), reason, EventIds.New());
            folder.Replace(folder.BegunFileOf(subject), mark.ToBytes());
            return mark;
        });
        // Also where the rest fails, nothing more is encrypted with the key.
        keys.DropForgotten();
        return begun;
    }

    /// <summary>Removes the key.</summary>
    /// <param name="mark">What it has begun with.</param>
    /// <param name="hadKey">Whether there was one.</param>
    /// <returns>Whether the person was forgotten before, with the event.</returns>
    public bool RemoveKey(Tag subject, KeyFile mark, out bool hadKey)
    {
        var folder = keys.Folder;
        var (had, isOver) = folder.WithLock(() =>
        {
            storeKeys.ThrowIfMissing($"{subject} is to be forgotten", hasBegun: true);
            // A damaged file is replaced too: whatever it held is to be gone.
            var file = folder.ReadWhateverItIs(subject, pastCache: true);
            var isLeft = folder.FindLeftInStore(subject, pastCache: true) is not null;
            var wasThere = file is not { Key: null } && folder.TryErase(folder.FileOf(subject));
            if (OwnMark(file) is null)
                folder.Replace(folder.FileOf(subject), mark.ToBytes());
            folder.MarkInStore(subject, mark);
            return (wasThere || isLeft, !isLeft && !folder.HasBegun(subject, pastCache: true));
        });
        keys.DropForgotten();
        hadKey = had;
        return isOver;
    }

    /// <summary>Leaves a mark under a person's pseudonym too, so that no key is made under it.</summary>
    /// <returns>False: there is a key, which another process has just made.</returns>
    public bool TryMark(Tag pseudonym, KeyFile mark) => keys.Folder.WithLock(() =>
    {
        storeKeys.ThrowIfMissing($"{pseudonym} is to be forgotten", hasBegun: true);
        var folder = keys.Folder;
        var file = folder.ReadWhateverItIs(pseudonym, out var isDamaged, pastCache: true);
        if (file is null && !isDamaged)
        {
            var other = KeyFile.OfForgotten(pseudonym, mark.At, mark.Reason!, eventId: Guid.Empty);
            folder.Replace(folder.FileOf(pseudonym), other.ToBytes());
            folder.MarkInStore(pseudonym, other);
            return true;
        }
        return file is { Key: null };
    });

    /// <summary>The event that says so. A second call gives the same one, which is stored once.</summary>
    public static NewEvent EventOf(KeyFile mark) =>
        new(new PersonForgotten { Subject = mark.Subject.ToString(), Reason = mark.Reason! }, mark.Subject) { Id = mark.EventId, IsOfStore = true };

    /// <summary>The condition of its append: a person has one such event.</summary>
    public static AppendCondition ConditionOf(KeyFile mark) => new(Query.For<PersonForgotten>(mark.Subject));

    /// <summary>Ends it, after the event is stored.</summary>
    public void End(Tag subject) => keys.Folder.WithLock(() =>
    {
        keys.Folder.Delete(keys.Folder.BegunFileOf(subject));
        return true;
    });

    /// <exception cref="ArgumentException">The subject or the reason is not allowed.</exception>
    public static void Check(Tag subject, string reason)
    {
        if (subject.Key is null)
            throw new ArgumentException("The subject is default(Tag), without key and value; make tags with new Tag(key, value).", nameof(subject));
        if (!subject.HasValue)
            throw new ArgumentException($"{NameRules.Quote(subject.Key)} has no value, so it names no person; write key:value.", nameof(subject));
        if (subject.Key[0] == NameRules.ReservedTagMark)
        {
            throw new ArgumentException($"{NameRules.Quote(subject.Key)} begins with '{NameRules.ReservedTagMark}', as only the keys of tags do that "
                + "the store itself gives, so it names no person.", nameof(subject));
        }
        NameRules.CheckReason(reason, nameof(reason));
    }

    private static KeyFile? OwnMark(KeyFile? file) => file is { Key: null, IsOfOtherName: false } ? file : null;
}
