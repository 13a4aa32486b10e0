using System.Security.Cryptography;
using System.Text;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>The parked events of a reaction, and the keys whose further events wait for one of them. The checkpoint says what counts.</summary>
internal sealed class Parking(ReactionHost host, Reaction reaction, ReactionLayout layout)
{
    private const int HashLength = 16;

    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly SortedDictionary<long, int> begun = [];
    private readonly Dictionary<string, Waiting> behind = new(StringComparer.Ordinal);
    private readonly HashSet<string> unread = new(StringComparer.Ordinal);
    private long[]? positions;

    public int Count => begun.Count;

    /// <summary>The positions of the parked events, ascending. A list that was returned does not change.</summary>
    public IReadOnlyList<long> Positions => positions ??= [.. begun.Keys];

    public bool IsFull => begun.Count >= host.Sizes.ParkedMax;

    public IReadOnlyList<(long Position, int Begun)> Parked => [.. begun.Select(static each => (each.Key, each.Value))];

    public IReadOnlyList<(string Key, long After, IReadOnlyList<long> Of)> Behind =>
        [.. behind.Select(static each => (each.Key, each.Value.After, each.Value.Of))];

    /// <summary>A key whose events after a position are not given out, although nothing keeps them back any more; null: there is none.</summary>
    /// <param name="mayBeUnread">Whether it may be one that was passed over, if there is no other.</param>
    public Waiting? FindFree(bool mayBeUnread)
    {
        Waiting? first = null;
        foreach (var (_, waiting) in behind)
        {
            if (IsHeldBack(waiting))
                continue;
            if (!unread.Contains(waiting.Hash))
                return waiting;
            first ??= waiting;
        }
        if (first is not null && !mayBeUnread)
            return null;
        unread.Clear();
        return first;
    }

    /// <summary>Whether a key was passed over, and is not looked at again yet.</summary>
    public bool HasUnread => unread.Count > 0;

    /// <summary>The next event of a key cannot be read for now: the other keys come before it.</summary>
    public void PassOver(Waiting waiting) => unread.Add(waiting.Hash);

    /// <summary>The first position whose event may be one of such a key; null: there is none.</summary>
    public long? FirstFree => behind.Values.Where(waiting => !IsHeldBack(waiting)).Min(static waiting => (long?)waiting.After + 1);

    public bool Contains(long position) => begun.ContainsKey(position);

    /// <summary>Whether the event at a position was skipped on request.</summary>
    public bool IsSkipped(long position) => fileSystem.GetKind(layout.SkippedFile(position)) != EntryKind.Missing;

    /// <summary>Whether the event of a key at a position is given out by another way, or not yet.</summary>
    public bool IsBehind(string key, long position) =>
        behind.Count > 0 && behind.TryGetValue(HashOf(key), out var waiting) && waiting.After < position;

    /// <summary>Whether an event before a position may be kept back.</summary>
    public bool IsAnyBehind(long position) => behind.Values.Any(waiting => waiting.After < position);

    /// <summary>Takes over what a checkpoint says, and names the files that do not fit it.</summary>
    public void Load(ReactionCheckpoint checkpoint)
    {
        foreach (var (position, count) in checkpoint.Parked)
            begun[position] = count;
        positions = null;
        foreach (var (key, after, of) in checkpoint.Behind)
            behind[key] = new Waiting(key, after, of);
        // A crash came between a checkpoint and the file, or has undone its removal: an event that is not listed is handled, or will be.
        RemoveFiles(position => !Contains(position));
        foreach (var position in begun.Keys)
        {
            if (ParkedFile.Read(fileSystem, layout, position).Problem is { } problem)
                host.LogFile(reaction.Name, $"{problem} The event stays parked: retry or skip it.");
        }
    }

    /// <summary>Describes a parked event durably. It is parked when the checkpoint says so.</summary>
    public void Park(Handling handling)
    {
        var keyWaits = reaction.KeyWaits && handling.KeyError is null;
        var parked = new ParkedEvent
        {
            Position = handling.Event.Position,
            Id = handling.Event.Id,
            Type = handling.Event.Type,
            Key = handling.KeyError is null ? ParkedFile.Cut(handling.Key) : "",
            KeyWaits = keyWaits,
            ParkedAt = host.Clock.GetUtcNow(),
            Attempts = handling.Failed,
        };
        // What was read before may be the person's, and forgetting does not find it in memory.
        host.WriteTexts(handling.Head, keepsTexts => ParkedFile.Write(fileSystem, layout, keepsTexts ? parked : WithoutTexts(parked)));
        begun[handling.Event.Position] = handling.Attempt - 1;
        positions = null;
    }

    /// <summary>The events of a parked event's key after a position wait; those up to it are done or given out.</summary>
    public void HoldBack(Handling handling, long after)
    {
        var (hash, position) = (HashOf(handling.Key), handling.Event.Position);
        if (behind.TryGetValue(hash, out var known))
            behind[hash] = new Waiting(hash, Math.Min(after, known.After), [.. known.Of.Where(each => each != position && Contains(each)), position]);
        else
            behind[hash] = new Waiting(hash, after, [position]);
    }

    /// <summary>The event is no longer parked once the checkpoint says so; what waits for it is handled after it.</summary>
    /// <returns>How many attempts may have begun.</returns>
    public int Release(long position)
    {
        begun.Remove(position, out var count);
        positions = null;
        return count;
    }

    /// <summary>Records durably that a parked event is skipped, and why.</summary>
    public void RecordSkip(LeaderRequest request)
    {
        var (parked, at) = (ParkedFile.Read(fileSystem, layout, request.Position), host.Clock.GetUtcNow());
        host.WriteTexts(request.Head, keepsTexts => ParkedFile.WriteSkipped(fileSystem, layout, keepsTexts ? parked : WithoutTexts(parked),
            keepsTexts ? request.Reason : FollowerHost.NotKept, at));
    }

    /// <summary>Removes files of events that are no longer parked; see <see cref="RemoveFile"/>.</summary>
    public void RemoveFiles(Predicate<long> isMeant)
    {
        try
        {
            ReactionLayout.Positions(fileSystem, layout.Parked).FindAll(isMeant).ForEach(RemoveFile);
        }
        catch (FileSystemException e)
        {
            host.LogFile(reaction.Name, $"Files of events that are not parked any more stay. {e.Message}");
        }
    }

    /// <summary>
    /// Removes the file of an event that is no longer parked, durably where a folder can be flushed. One that cannot be removed is logged and stays:
    /// the checkpoint counts.
    /// </summary>
    public void RemoveFile(long position)
    {
        try
        {
            fileSystem.Delete(layout.ParkedFile(position));
            if (fileSystem.GetKind(layout.Parked) == EntryKind.Folder)
                fileSystem.FlushFolder(layout.Parked);
        }
        catch (FileSystemException e)
        {
            host.LogFile(reaction.Name, $"The event at position {position} is not parked any more. {e.Message}");
        }
    }

    /// <summary>The events of a key are given out up to a position; null: up to where all are.</summary>
    public void Advance(Waiting waiting, long? after)
    {
        if (after is { } position)
            behind[waiting.Hash] = waiting with { After = position };
        else
            behind.Remove(waiting.Hash);
    }

    /// <summary>Whether it is a key that waits, and not another one that has replaced it.</summary>
    public bool IsOf(Waiting waiting, string key) => waiting.Hash == HashOf(key);

    private static ParkedEvent WithoutTexts(ParkedEvent parked) =>
        parked with { Key = "", Attempts = [.. parked.Attempts.Select(static each => each with { Error = FollowerHost.NotKept })] };

    private bool IsHeldBack(Waiting waiting) => reaction.KeyWaits && waiting.Of.Any(Contains);

    // A key may have 10,000 characters. The same text is another key when the app names keys by another tag.
    private string HashOf(string key) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes($"{reaction.KeySource}\0{key}")).AsSpan(0, HashLength));

    /// <summary>A key whose events after a position are not given out.</summary>
    /// <param name="Of">The positions of events with the key, at least one; it waits as long as one of them is parked.</param>
    public sealed record Waiting(string Hash, long After, IReadOnlyList<long> Of);
}
