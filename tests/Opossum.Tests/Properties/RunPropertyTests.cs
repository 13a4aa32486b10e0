using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Definitions;
using Opossum.Storage.Folders;
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
        var (frames, expected) = Tail(events);
        foreach (var actual in Cut(frames, length, fan))
            AssertEqual(expected, actual, events, seed);
    });

    [Fact]
    public void Run_that_is_made_again_has_the_bytes_of_the_one_that_grew_step_by_step() => Generators.Check(60, shapes, shape =>
    {
        var (counts, length, fan, seed) = shape;
        var (frames, _) = Tail(EventsOf(counts, seed));
        foreach (var run in Cut(frames, length, fan).SelectMany(static contents => contents.Runs).Distinct())
        {
            var pages = new RunPages();

            Assert.True(RunRebuild.TryMake(frames, run.Header, pages.Write));

            for (var number = 0; number < run.Header.PageCount; number++)
                Assert.Equal(number == 0 ? run.Header.ToPage() : run.ReadPage(number), PageOf(pages, number));
        }
    });

    [Fact]
    public void Lines_that_begin_after_a_tebibyte_of_others_are_found()
    {
        const long start = (1L << 40) - 500;
        var (frames, expected) = Tail(EventsOf([.. Enumerable.Repeat(1, 40)], seed: 1));

        foreach (var actual in Cut(frames, length: 8, fan: 2, lineStart: start))
        {
            for (var position = 0; position <= actual.Head; position++)
                Assert.Equal(start + expected.LineEnd(position), actual.LineEnd(position));
        }
    }

    /// <summary>Sections have at least three pages, lists have many blocks, and the type of an event takes one, two and four bytes.</summary>
    [Theory]
    [InlineData(14_000, 3, 1)]
    [InlineData(14_000, 300, 1)]
    [InlineData(67_000, 66_000, 100)]
    public void Runs_of_many_pages_find_every_name_at_its_positions(int count, int types, int oneOf)
    {
        LongTests.SkipUnless(types <= ushort.MaxValue);
        StoredEvent[] events = [.. Enumerable.Range(1, count).Select(number => EventOf(number, number, number, $"type-{number % types}",
            [new Tag("one", $"{number}"), new Tag("third", $"{number % 3}"), new Tag("near", $"{number / 700}")]))];
        var (frames, tail) = Tail(events);
        // The run is made of two others.
        var cut = Cut(frames, length: count / 2, fan: 2, cacheBytes: 32 << 20).Last();
        var run = Assert.Single(cut.Runs);
        AssertPages(run.Header);

        var table = RunTables.ReadTypes(run).ConvertAll(static type => Encoding.UTF8.GetString(type.Text));
        for (var position = 1; position <= count; position++)
        {
            if (tail.LineEnd(position) != cut.LineEnd(position) || table[run.TypeAt(position)] != events[position - 1].Content.Type)
                Assert.Fail($"Another place or type at position {position}.");
        }
        var names = events
            .SelectMany(static e => e.Content.Tags, static (e, tag) => (Query: Query.FromTags(tag), Name: $"{tag}", e.Position))
            .Concat(events.Select(static e => (Query: Query.FromEventTypes(e.Content.Type), Name: e.Content.Type, e.Position)))
            .GroupBy(static each => each.Name)
            .Select(static of => (of.First().Query, Positions: of.Select(static each => (int)each.Position).ToArray()));
        foreach (var (query, positions) in names.Where((each, at) => at % oneOf == 0 || each.Positions.Length > 1))
        {
            AssertFound(tail, query, positions);
            AssertFound(cut, query, positions);
        }
        foreach (var number in Enumerable.Range(1, count / oneOf))
            AssertFound(cut, Query.FromTags(new Tag("never", $"{number}")), []);

        static void AssertFound(IndexContents contents, Query query, int[] positions)
        {
            if (!All(contents.Find(query, contents.Head, from: 1, backwards: false)).AsSpan().SequenceEqual(positions)
                || !All(contents.Find(query, contents.Head, from: contents.Head, backwards: true)).Reverse().SequenceEqual(positions))
            {
                Assert.Fail($"Other positions than those of {query.Items[0]}.");
            }
            // From the last position of each block of a list, and from the one after it.
            for (var at = 127; at < positions.Length; at += 128)
            {
                Assert.Equal(positions[at], contents.FirstMatch(query, positions[at] - 1));
                Assert.Equal(at + 1 == positions.Length ? PositionCursor.None : positions[at + 1],
                    contents.FirstMatch(query, positions[at]));
            }
            // From the first position of each block, and from the one before it.
            for (var at = 0; at < positions.Length; at += 128)
            {
                Assert.Equal(positions[at], contents.Find(query, contents.Head, positions[at], backwards: true).Next());
                Assert.Equal(at == 0 ? PositionCursor.None : positions[at - 1],
                    contents.Find(query, contents.Head, positions[at] - 1, backwards: true).Next());
            }
        }

        static void AssertPages(RunHeader header)
        {
            Assert.InRange(header.StartsPage - RunHeader.GroupsPage, 3, int.MaxValue);
            Assert.InRange(header.TypesPage - header.StartsPage, 3, int.MaxValue);
            Assert.InRange(header.TypeTablePage - header.TypesPage, 3, int.MaxValue);
            Assert.InRange(header.DirectoryPage - header.FilterPage, 3, int.MaxValue);
            Assert.InRange(header.NamesPage - header.DirectoryPage, 3, int.MaxValue);
            Assert.InRange(header.PageCount - header.NamesPage, 3, int.MaxValue);
        }
    }

    // The frames of the events, and an index that has all of them in its tail.
    private static (MemoryFile Frames, IndexContents Contents) Tail(StoredEvent[] events)
    {
        var encoder = new IndexEncoder();
        encoder.Encode(events, Lines.Of(events), chain: 7, TagRuleSet.None);
        var frames = new MemoryFile([.. new byte[IndexHeader.Length], .. encoder.Frames.Written]);
        var contents = new IndexContents(chain: 7);
        var reader = new FrameReader(frames, IndexHeader.Length);
        while (reader.TryAdd(contents.Tail, frames.Length))
        {
        }
        Assert.Equal(events.Length, contents.Head);
        return (frames, contents);
    }

    // The same events in runs that grow step by step, as a store makes them.
    private static IEnumerable<IndexContents> Cut(MemoryFile frames, int length, int fan, long cacheBytes = 0, long lineStart = 0)
    {
        var settings = new RunSettings { Length = length, Fan = fan, LengthMax = length * fan * fan };
        var runs = new List<IndexRun>();
        var reader = new FrameReader(frames, IndexHeader.Length);
        while (true)
        {
            var tail = runs.Count == 0 ? new IndexTail(0, lineStart, chain: 7) : runs[^1].NewTail();
            var range = RunMaking.TryFill(tail, reader, frames.Length, length);
            yield return new IndexContents([.. runs], tail, new NameHash(storeId));
            if (range is null)
                break;
            runs.Add(InMemory(new TailSource(tail, range.Value, storeId, length, fan), cacheBytes));
            while (RunMaking.NextToMerge(runs, settings) is { Count: > 0 } group)
            {
                var at = runs.IndexOf(group[0]);
                var merged = InMemory(new MergeSource(group, CancellationToken.None), cacheBytes);
                runs.RemoveRange(at, group.Count);
                runs.Insert(at, merged);
            }
        }
    }

    private static void AssertEqual(IndexContents expected, IndexContents actual, StoredEvent[] events, int seed)
    {
        var head = actual.Head;
        for (var position = 0; position <= head; position++)
            Assert.Equal(expected.LineEnd(position), actual.LineEnd(position));
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
                new QueryItem { Types = [one.Content.Type], Tags = [.. one.Content.Tags.Take(random.Next(3))] },
                new QueryItem
                {
                    Types = random.Next(2) == 0 ? [] : ["t0", other.Content.Type],
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

    private static IndexRun InMemory(IRunSource source, long cacheBytes = 0)
    {
        var pages = new RunPages();
        var header = RunWriter.Write(source, pages.Write, CancellationToken.None);
        Assert.Equal(header, RunHeader.Read(PageOf(pages, 0), storeId));
        Assert.Equal(source.Names().Count(), header.NameCount);
        return new IndexRun(header, new RunContent("run", file: null, pages), new PageCache(cacheBytes, new SlowReads(TimeProvider.System)),
            static (run, _) => throw run.Forged());
    }

    private static byte[] PageOf(RunPages pages, int number)
    {
        var page = new byte[RunPage.Length];
        Assert.True(pages.TryRead(number, page));
        return page;
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
                var type = number % 97 == 0 ? $"rare-{number}" : $"t{number % 3}";
                events.Add(EventOf(number + 1, first, first + count - 1, type, [.. tags[number].Distinct()]));
            }
        }
        return [.. events];
    }

    private static StoredEvent EventOf(int position, int first, int last, string type, Tag[] tags) =>
        new(new PreparedEvent(type, 1, tags, Guid.NewGuid(), Encoding.UTF8.GetBytes($"{{\"n\":{position - 1}}}"), []), position,
            new CommitRange(first, last, first - 1), 639_000_000_000_000_000);
}
