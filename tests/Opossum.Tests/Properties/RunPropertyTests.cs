using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Index;

namespace Opossum.Tests.Properties;

/// <summary>An index of runs and a tail answers as the same index in memory does.</summary>
public sealed class RunPropertyTests
{
    private static readonly Guid storeId = new("065cb841-c3b3-4831-9a5b-617441b028b2");

    // Some names are on every event, some on few, some on one; some are longer than a page.
    private static readonly Gen<Tag> tag = Gen.Frequency(
        (4, Gen.Choose(1, 3).Select(number => new Tag("k", $"{number}"))),
        (3, Gen.Choose(1, 40).Select(number => new Tag("order", $"o{number}"))),
        (3, Gen.Choose(1, 100_000).Select(number => new Tag("one", $"{number}"))),
        (1, Gen.Choose(1, 5).Select(number => new Tag(new string('ü', 10 * number), new string('中', 1_500 * number)))));

    private static readonly Gen<(int[] Counts, int Length, int Fan, int Seed)> shapes =
        from appends in Gen.Choose(1, 120)
        from counts in Gen.ArrayOf(Gen.Frequency((9, Gen.Choose(1, 4)), (1, Gen.Choose(5, 60))), appends)
        from length in Gen.Choose(1, 40)
        from fan in Gen.Choose(2, 4)
        from seed in Gen.Choose(0, int.MaxValue)
        select (counts, length, fan, seed);

    [Fact]
    public void Runs_and_a_tail_answer_as_one_tail_does() => Generators.Check(60, shapes, shape =>
    {
        var (counts, length, fan, seed) = shape;
        var events = EventsOf(counts, seed);
        var encoder = new IndexEncoder();
        encoder.Encode(events, chain: 7);
        var frames = new MemoryFile([.. new byte[IndexHeader.Length], .. encoder.Frames.Written]);
        var expected = new IndexContents(chain: 7);
        var reader = new FrameReader(frames, IndexHeader.Length);
        while (reader.TryAdd(expected.Tail, frames.Length))
        {
        }
        Assert.Equal(events.Length, expected.Head);

        foreach (var actual in Cut(frames, length, fan))
            AssertEqual(expected, actual, events, seed);
    });

    // The same events in runs that grow step by step, as a store makes them.
    private static IEnumerable<IndexContents> Cut(MemoryFile frames, int length, int fan)
    {
        var settings = new RunSettings { Length = length, Fan = fan, LengthMax = length * fan * fan };
        var runs = new List<IndexRun>();
        var reader = new FrameReader(frames, IndexHeader.Length);
        while (true)
        {
            var tail = runs.Count == 0 ? new IndexTail(0, PackedEvents.HeaderLength, chain: 7) : runs[^1].NewTail();
            var range = RunMaking.TryFill(tail, reader, frames.Length, length);
            yield return new IndexContents([.. runs], tail, new NameHash(storeId));
            if (range is null)
                break;
            runs.Add(InMemory(new TailSource(tail, range.Value, storeId, length, fan)));
            while (RunMaking.NextToMerge(runs, settings) is { Count: > 0 } group)
            {
                var at = runs.IndexOf(group[0]);
                var merged = InMemory(new MergeSource(group, CancellationToken.None));
                runs.RemoveRange(at, group.Count);
                runs.Insert(at, merged);
            }
        }
    }

    private static void AssertEqual(IndexContents expected, IndexContents actual, StoredEvent[] events, int seed)
    {
        var head = actual.Head;
        for (var position = 0; position <= head; position++)
            Assert.Equal(expected.PackedEnd(position), actual.PackedEnd(position));
        var random = new Random(seed + head);
        foreach (var query in Queries(events, random))
        {
            var from = random.Next(1, head + 2);
            Assert.Equal(All(expected.Find(query, head, from, backwards: false)), All(actual.Find(query, head, from, backwards: false)));
            Assert.Equal(All(expected.Find(query, head, from, backwards: true)), All(actual.Find(query, head, from, backwards: true)));
            var match = expected.Find(query, head, from, backwards: false).Next();
            Assert.Equal(match, actual.FirstMatch(query, from - 1));
        }
        var (types, typesTotal) = expected.CountTypes(head, 3);
        var (actualTypes, actualTypesTotal) = actual.CountTypes(head, 3);
        Assert.Equal(typesTotal, actualTypesTotal);
        Assert.Equal(types, actualTypes);
        var (keys, total) = expected.CountTagKeys(head, 100);
        var (actualKeys, actualTotal) = actual.CountTagKeys(head, 100);
        Assert.Equal(total, actualTotal);
        Assert.Equal(keys, actualKeys);
        Assert.All(events.Take(head), e => Assert.True(actual.HasType(e.Content.Type)));
        Assert.False(actual.HasType("never"));
    }

    private static IEnumerable<Query> Queries(StoredEvent[] events, Random random)
    {
        yield return Query.All;
        yield return Query.FromTags(new Tag("never", "used"));
        yield return Query.FromTags(new Tag("k", "1"));
        yield return Query.FromEventTypes("t1", "never", "t2");
        for (var queries = 0; queries < 6; queries++)
        {
            var (one, other) = (events[random.Next(events.Length)], events[random.Next(events.Length)]);
            yield return Query.FromItems(
                new QueryItem { EventTypes = [one.Content.Type], Tags = [.. one.Content.Tags.Take(random.Next(3))] },
                new QueryItem
                {
                    EventTypes = random.Next(2) == 0 ? [] : ["t0", other.Content.Type],
                    Tags = [.. other.Content.Tags.Take(1), new Tag("k", "2")],
                });
        }
    }

    private static int[] All(PositionCursor cursor)
    {
        var found = new List<int>();
        for (var position = cursor.Next(); position != PositionCursor.None; position = cursor.Next())
            found.Add(position);
        return [.. found];
    }

    private static IndexRun InMemory(IRunSource source)
    {
        var pages = new RunPages();
        var header = RunWriter.Write(source, pages.Write, CancellationToken.None);
        Assert.Equal(header, RunHeader.Read(pages.Page(0), storeId));
        Assert.Equal(source.Names().Count(), header.NameCount);
        return new IndexRun(header, new RunContent("run", file: null, pages), new PageCache(0, new SlowReads(TimeProvider.System)), static run => throw run.Forged());
    }

    private static StoredEvent[] EventsOf(int[] counts, int seed)
    {
        var rnd = new Rnd((ulong)seed, (2 * 17) + 1);
        var tags = Gen.Choose(0, 4).SelectMany(count => Gen.ArrayOf(tag, count)).Sample(counts.Sum(), rnd, 50).ToArray();
        var events = new List<StoredEvent>();
        foreach (var count in counts)
        {
            var first = events.Count + 1;
            for (var at = 0; at < count; at++)
            {
                var number = events.Count;
                var json = Encoding.UTF8.GetBytes($"{{\"n\":{number}}}");
                var type = number % 97 == 0 ? $"rare-{number}" : $"t{number % 3}";
                events.Add(new StoredEvent(new PreparedEvent(type, 1, [.. tags[number].Distinct()], Guid.NewGuid(), json, []), number + 1,
                    new CommitRange(first, first + count - 1, first - 1), 639_000_000_000_000_000));
            }
        }
        return [.. events];
    }
}
