using Opossum.Maintenance;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>What a store promises whatever happened to it, checked on a disk on which nobody works.</summary>
internal static class Promises
{
    private static readonly Query[] queries =
    [
        Query.FromTags(new Tag("third", "t0")),
        Query.FromTags(new Tag("third", "t1")),
        Query.FromTags(new Tag("third", "t2")),
        Query.FromEventTypes("even"),
        Query.FromEventTypes("odd"),
        Query.FromItems(new QueryItem { Types = ["odd"], Tags = [new Tag("third", "t1")] }, new QueryItem { Tags = [new Tag("third", "t2")] }),
    ];

    /// <summary>Checks all promises on what a power cut leaves of a disk, and that what is found and appended then is there to stay.</summary>
    public static void CheckAfter(SimulatedDisk disk, PowerCut cut, History history, Scenario scenario)
    {
        var after = disk.AfterPowerCut(cut);
        scenario.CheckFiles?.Invoke(after);
        var ids = Check(after, history);
        CheckStill(after.AfterPowerCut(cut with { Seed = cut.Seed + 1000 }), ids);
    }

    /// <summary>Opens the store, checks all promises, and appends to it.</summary>
    /// <param name="disk">The disk; it is written to.</param>
    /// <param name="history">What was tried on it.</param>
    /// <param name="deep">Whether every event file is checked too.</param>
    /// <returns>The ids of all events that it found or appended, in the order of positions.</returns>
    public static List<Guid> Check(SimulatedDisk disk, History history, bool deep = true)
    {
        using var store = Open(disk);
        var found = Read(store, Query.All);
        CheckEvents(found, history);
        CheckConditions(found, history);
        foreach (var query in queries)
            Assert.Equal(found.Where(query.Matches).Select(e => e.Position), Read(store, query).Select(e => e.Position));
        CheckAppends(store, found);
        if (deep)
        {
            var report = StoreCheck.Run(disk.Attach(), SteppedStore.LayoutOn(disk));
            Assert.True(report.IsClean, report.ToString());
        }
        return [.. Read(store, Query.All).Select(e => e.Id)];
    }

    /// <summary>Checks that the store holds these events and is whole.</summary>
    public static void CheckStill(SimulatedDisk disk, List<Guid> ids, bool deep = true)
    {
        using var store = Open(disk);
        Assert.Equal(ids, Read(store, Query.All).Select(e => e.Id));
        // A damaged line that the read has met is mended by the next commit.
        Append(store, [NewEvent.FromJson("still", """{"later":3}""")]);
        if (!deep)
            return;
        var report = StoreCheck.Run(disk.Attach(), SteppedStore.LayoutOn(disk));
        Assert.True(report.IsClean, report.ToString());
    }

    /// <summary>Reads on the caller's thread.</summary>
    public static List<SequencedEvent> Read(IEventStore store, Query query, long from = 1)
    {
        return ReadAsync().AsTask().GetAwaiter().GetResult();

        async ValueTask<List<SequencedEvent>> ReadAsync()
        {
            var found = new List<SequencedEvent>();
            await foreach (var e in store.ReadAsync(query, new ReadOptions { After = from - 1 }).ConfigureAwait(false))
                found.Add(e);
            return found;
        }
    }

    public static AppendResult Append(IEventStore store, IReadOnlyList<NewEvent> events, AppendCondition? condition = null) =>
        store.AppendAsync(events, condition).GetAwaiter().GetResult();

    public static FileSystemEventStore Open(SimulatedDisk disk) =>
        FileSystemEventStore.Open(new OpossumOptions { TimeProvider = disk.Clock }, disk.Attach(), SteppedStore.LayoutOn(disk));

    // No gap, no stranger, nothing twice; what was answered is as it was answered, and everything is there as a whole or not at all.
    private static void CheckEvents(List<SequencedEvent> found, History history)
    {
        for (var at = 0; at < found.Count; at++)
            Assert.Equal(at + 1, found[at].Position);
        Assert.True(found.DistinctBy(e => e.Id).Count() == found.Count,
            $"Stored twice: {string.Join(", ", found.Select(e => $"{e.Position} {e.Tags[1].Value} {e.Id}"))}");
        var left = found.ToDictionary(e => e.Id);
        foreach (var attempt in history.Attempts)
        {
            var there = attempt.Events.Where(e => left.ContainsKey(e.Id)).Select(e => left[e.Id]).ToList();
            Assert.True(there.Count == 0
                || there.Count == attempt.Events.Count, $"Only {there.Count} of {attempt.Events.Count} events are there: {attempt}");
            Assert.False(there.Count == 0 && attempt.IsDurable, $"Lost: {attempt}");
            Assert.False(there.Count > 0 && attempt.Answer == Answer.NothingWritten, $"There although nothing was said to be written: {attempt}");
            for (var at = 0; at < there.Count; at++)
            {
                var (wanted, stored) = (attempt.Events[at], there[at]);
                Assert.Equal(there[0].Position + at, stored.Position);
                Assert.Equal(wanted.Type, stored.Type);
                Assert.Equal(wanted.Tags, stored.Tags);
                Assert.True(wanted.Json.Span.SequenceEqual(stored.Json.Span), $"Other data: {attempt}");
                left.Remove(wanted.Id);
            }
            if (there.Count > 0 && attempt.Result is { } told)
            {
                Assert.Equal(told, new AppendResult
                {
                    FirstPosition = there[0].Position,
                    LastPosition = there[^1].Position,
                });
            }
        }
        Assert.Empty(left);
    }

    // Each append that is there is judged again: was there anything at its time that its condition forbids?
    private static void CheckConditions(List<SequencedEvent> found, History history)
    {
        var positions = found.ToDictionary(e => e.Id, e => e.Position);
        foreach (var attempt in history.Attempts)
        {
            if (attempt.Condition is not { } condition || !positions.TryGetValue(attempt.Events[0].Id, out var first))
                continue;
            var forbidden =
                found.Take((int)first - 1).FirstOrDefault(e => e.Position > (condition.After ?? 0) && condition.FailIfEventsMatch.Matches(e));
            Assert.True(forbidden is null, $"Its condition forbids {forbidden}: {attempt}");
        }
    }

    private static void CheckAppends(FileSystemEventStore store, List<SequencedEvent> found)
    {
        var head = (long)found.Count;
        var news =
            new[] { NewEvent.FromJson("odd", """{"later":1}""", new Tag("third", "t1")),
                NewEvent.FromJson("later", """{"later":2}""", new Tag("later", "yes")) };
        if (found.Count > 0)
        {
            foreach (var e in (SequencedEvent[])[found[0], found[^1]])
            {
                var error =
                    Assert.Throws<AppendConditionFailedException>(() => Append(store, news,
                        new AppendCondition(Query.FromTags(e.Tags[1]), e.Position - 1)));
                Assert.Equal((e.Position, head), (error.ConflictingPosition, error.Head));
            }
        }
        Assert.Equal(new AppendResult { FirstPosition = head + 1, LastPosition = head + 2 }, Append(store, news, new AppendCondition(Query.All, head)));
        Assert.Equal([head + 2], Read(store, Query.FromTags(new Tag("later", "yes")), head + 1).Select(e => e.Position));
    }
}
