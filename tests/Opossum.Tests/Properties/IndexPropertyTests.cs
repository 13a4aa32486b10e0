using System.Buffers.Binary;
using FsCheck;
using FsCheck.Fluent;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Definitions;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Storage.Log;

namespace Opossum.Tests.Properties;

/// <summary>The parts of the index against brute force.</summary>
public sealed class IndexPropertyTests
{
    private static readonly Gen<int[]> ascending =
        Gen.Sized(size => Gen.ArrayOf(Gen.Choose(1, 3 * size + 3))).Select(numbers => numbers.Distinct().Order().ToArray());

    private static readonly Gen<int[]> targets =
        Gen.Sized(size => Gen.ArrayOf(Gen.Choose(1, 3 * size + 5))).Select(numbers => numbers.Order().ToArray());

    private static readonly Gen<StoredEvent[]> commits =
        from counts in Gen.Choose(1, 12).SelectMany(count => Gen.ArrayOf(Gen.Choose(1, 5), count))
        from events in Gen.ArrayOf(AnyStored(), counts.Sum())
        select Number(events, counts);

    [Fact]
    public void Postings_seek_as_a_search_through_all_of_them_does() =>
        Generators.Check(300, Gen.Zip(Gen.Zip(ascending, targets), Gen.Choose(0, 100)), input =>
    {
        var ((positions, targets), head) = input;
        var list = new PostingList();
        foreach (var position in positions)
            list.Add(position);
        int[] upTo = [.. positions.Where(position => position <= head)];

        var forward = list.UpTo(head);
        Assert.Equal(upTo.Length, forward.Count);
        foreach (var target in targets)
            Assert.Equal(upTo.FirstOrDefault(position => position >= target), forward.Seek(target, backwards: false));
        var backward = list.UpTo(head);
        foreach (var target in targets.Reverse())
            Assert.Equal(upTo.LastOrDefault(position => position <= target), backward.Seek(target, backwards: true));
        Assert.Equal(positions.LastOrDefault(), list.Last);
    });

    [Fact]
    public void An_item_cursor_seeks_as_a_search_through_all_positions_does() => Generators.Check(300,
        Gen.Zip(Gen.Choose(0, 3).SelectMany(count => Gen.ArrayOf(Gen.ArrayOf(Gen.Choose(1, 60), 60), count)),
            Gen.Zip(Gen.ArrayOf(Gen.Choose(0, 4), 60), Gen.Zip(Gen.ArrayOf(Gen.Choose(0, 5)), targets))), input =>
    {
        var (tagSets, (typeOfEvent, (wantedTypes, targets))) = input;
        int[][] tags = [.. tagSets.Select(set => set.Where(position => position % 4 > 0).Distinct().Order().ToArray())];
        int[] wanted = tags.Length == 0 && wantedTypes.Length == 0 ? [1] : [.. wantedTypes.Distinct()];
        var types = new TypesOnly(typeOfEvent);
        int[] matches =
            [.. Enumerable.Range(1, 60).Where(position => tags.All(set => set.Contains(position))
                && (wanted.Length == 0 || wanted.Contains(typeOfEvent[position - 1])))];

        var forward = Cursor();
        foreach (var target in targets.Where(target => target <= 60))
            Assert.Equal(matches.FirstOrDefault(position => position >= target), forward.Seek(target, backwards: false));
        var backward = Cursor();
        foreach (var target in targets.Where(target => target <= 60).Reverse())
            Assert.Equal(matches.LastOrDefault(position => position <= target), backward.Seek(target, backwards: true));

        ItemCursor Cursor() => tags.Length > 0
            ? new ItemCursor([.. tags.Select(ToPostings)], [], wanted, types)
            : new ItemCursor([],
            [.. wanted.Select(type => ToPostings([.. Enumerable.Range(1, 60).Where(position => typeOfEvent[position - 1] == type)]))], [], types);
    });

    [Fact]
    public void A_name_table_finds_what_was_added_and_nothing_else() =>
        Generators.Check(100, Gen.Zip(Gen.ArrayOf(Generators.Hostile), Gen.ArrayOf(Generators.Hostile)), input =>
    {
        var table = new NameTable();
        string[] added = [.. input.Item1.Concat(Enumerable.Range(0, 70).Select(number => $"{number}")).Distinct()];
        for (var number = 0; number < added.Length; number++)
            Assert.Equal(number, table.Add(System.Text.Encoding.UTF8.GetBytes(added[number])));

        Assert.Equal(added.Length, table.Count);
        foreach (var text in added.Concat(input.Item2))
        {
            var number = Array.IndexOf(added, text);
            Assert.Equal(number, table.Find(System.Text.Encoding.UTF8.GetBytes(text)));
            if (number >= 0)
                Assert.Equal(text, System.Text.Encoding.UTF8.GetString(table.Text(number)));
        }
    });

    [Fact]
    public void Frames_and_lines_give_back_what_went_in_and_the_index_agrees_with_the_query() => Generators.Check(150,
        Gen.Zip(commits, Gen.Zip(Generators.Query, Generators.Read)), input =>
    {
        var (events, (query, read)) = input;
        var encoder = new IndexEncoder();
        var lines = Lines.Of(events);
        encoder.Encode(events, lines, chain: 0, TagRuleSet.None);
        var contents = Replay(encoder.Frames.Written.ToArray());
        Assert.Equal(events.Length, contents.Head);

        foreach (var stored in events)
        {
            var line = lines.Written[(int)contents.LineStart(stored.Position)..((int)contents.LineEnd(stored.Position) - 1)];
            var e = EventLine.Read(line, stored.Position, decoder: null, takesUnknown: false)!;
            Assert.Equal((stored.Position, stored.Content.Type, stored.Content.Version, stored.Content.Id, stored.TimestampTicks),
                (e.Position, e.Type, e.Version, e.Id, e.Timestamp.Ticks));
            Assert.Equal(stored.Content.Tags, e.Tags);
            Assert.Equal(stored.Content.Json, e.Json.ToArray());
            Assert.Equal(stored.Content.Metadata, e.MetadataJson.ToArray());
            Assert.Equal((stored.Commit, stored.Checksum),
                (EventLine.ReadStored(line, stored.Position)!.Commit, EventLine.ChecksumOf(line, stored.Position)));
            Assert.Null(EventLine.Read(line, stored.Position + 1, decoder: null, takesUnknown: false));
        }

        int[] matches = [.. events.Where(stored => query.Matches(stored.Content.Type, stored.Content.Tags)).Select(stored => (int)stored.Position)];
        var from = (int)read.After + 1;
        Assert.Equal(matches.FirstOrDefault(position => position > from), contents.FirstMatch(query, from));
        Assert.Equal(matches.Where(position => position >= from), All(contents.Find(query, contents.Head, from, backwards: false)));
        Assert.Equal(matches.Where(position => position <= from).Reverse(), All(contents.Find(query, contents.Head, from, backwards: true)));
    });

    [Fact]
    public void Frame_has_at_most_64_MiB_with_its_header()
    {
        LongTests.SkipUnlessAsked();
        var text = new string('x', Tag.MaxValueLength - 4);
        Tag[] tags = [.. Enumerable.Range(0, 6_706).Select(number => new Tag("k", $"{text}{number:D4}"))];
        var encoder = new IndexEncoder();
        int LengthWith(int last)
        {
            var content = new PreparedEvent("a", 1, [.. tags, new Tag("k", new string('y', last))], Guid.NewGuid(), "{}"u8.ToArray(), []);
            StoredEvent[] events = [new StoredEvent(content, 1, new CommitRange(1, 1, 0), 0)];
            encoder.Encode(events, Lines.Of(events), chain: 0, TagRuleSet.None);
            return encoder.Frames.Length;
        }

        var fitting = 1_000 + StoreLayout.FrameBytesMax - LengthWith(1_000);

        Assert.Equal(StoreLayout.FrameBytesMax, LengthWith(fitting));
        Assert.Throws<FileSystemException>(() => LengthWith(fitting + 1));
    }

    [Fact]
    public void A_frame_or_line_with_a_changed_or_missing_byte_is_not_taken() =>
        Generators.Check(100, Gen.Zip(commits, Gen.Choose(0, int.MaxValue)), input =>
    {
        var (events, seed) = input;
        var encoder = new IndexEncoder();
        StoredEvent[] first = [.. events.Take(events[0].Commit.Count)];
        var lines = Lines.Of(first);
        encoder.Encode(first, lines, chain: 0, TagRuleSet.None);
        var frame = encoder.Frames.Written.ToArray();
        var contents = Replay(frame);
        var line = lines.Written[..((int)contents.LineEnd(1) - 1)].ToArray();

        // Not the length of a frame: whoever reads it takes the frame's end from there.
        Assert.False(new IndexFrame().TryRead(Changed(frame, sizeof(uint)), 0, frame.Length, head: 0, chain: 0));
        Assert.Null(EventLine.Read(Changed(line, 0), 1, decoder: null, takesUnknown: false));
        Assert.Null(EventLine.Read(line.AsSpan(0, seed % line.Length), 1, decoder: null, takesUnknown: false));

        byte[] Changed(byte[] bytes, int start)
        {
            var changed = bytes.ToArray();
            changed[start + seed % (bytes.Length - start)] ^= (byte)(1 + seed / 256 % 255);
            return changed;
        }
    });

    [Fact]
    public void A_forged_frame_whose_checksum_fits_is_judged_without_an_exception() =>
        Generators.Check(500, Gen.Zip(commits, Gen.ArrayOf(Gen.Zip(Gen.Choose(0, int.MaxValue), Gen.Choose(0, 255)), 3)), input =>
    {
        var (events, forgeries) = input;
        var encoder = new IndexEncoder();
        StoredEvent[] first = [.. events.Take(events[0].Commit.Count)];
        encoder.Encode(first, Lines.Of(first), chain: 0, TagRuleSet.None);
        var frame = encoder.Frames.Written.ToArray();
        foreach (var (place, value) in forgeries)
            frame[8 + place % (frame.Length - 8)] = (byte)value;
        BinaryPrimitives.WriteUInt32LittleEndian(frame.AsSpan(4), IndexFrame.ChecksumOf(chain: 0, frame.AsSpan(8)));

        var contents = new IndexContents();
        var read = new IndexFrame();
        // A frame that is refused leaves nothing, and one that is taken in leaves all that it names.
        var isTaken = read.TryRead(frame, 0, frame.Length, head: 0, chain: 0);
        if (isTaken)
            contents.Tail.Add(read);
        Assert.Equal(isTaken ? read.Events.Length : 0, contents.Head);
    });

    [Fact]
    public void Numbers_are_read_as_written_and_random_bytes_end() =>
        Generators.Check(500,
            Gen.Zip(Gen.ArrayOf(Gen.Choose(0, 31).SelectMany(bits => Gen.Choose(0, (int)((1L << bits) - 1)))),
                Gen.ArrayOf(Gen.Choose(0, 255))), input =>
    {
        var (numbers, octets) = input;
        var writer = new ByteWriter();
        foreach (var number in numbers)
            writer.WriteVarint(number);
        var reader = new VarintReader(writer.Written, 0);
        foreach (var number in numbers)
        {
            Assert.True(reader.TryRead(out var read));
            Assert.Equal(number, read);
        }
        Assert.Equal(0, reader.Remaining);
        Assert.False(reader.TryRead(out _));

        var random = new VarintReader([.. octets.Select(octet => (byte)octet)], 0);
        var reads = 0;
        while (random.TryRead(out var number))
        {
            Assert.True(number >= 0);
            Assert.False(random.TrySkip(random.Remaining + 1));
            Assert.True(++reads <= octets.Length);
        }
        Assert.InRange(random.Place, reads, octets.Length);
    });

    [Fact]
    public void A_number_over_32_bits_is_refused()
    {
        foreach (var number in new[] { int.MaxValue + 1L, uint.MaxValue, uint.MaxValue + 1L, 1L << 35, long.MaxValue, -1 })
        {
            var writer = new ByteWriter();
            writer.WriteVarint(number);
            Assert.False(new VarintReader(writer.Written, 0).TryRead(out _));
        }
    }

    private sealed class TypesOnly(int[] typeOfEvent) : IIndexPart
    {
        public int Basis => 0;

        public int TypeAt(int position) => typeOfEvent[position - 1];

        public ItemCursor? CursorFor(SoughtItem item, int head) => throw new NotSupportedException();

        public bool Prefetch(SoughtItem item) => throw new NotSupportedException();
    }

    private static Postings ToPostings(int[] positions)
    {
        var list = new PostingList();
        foreach (var position in positions)
            list.Add(position);
        return list.UpTo(int.MaxValue);
    }

    private static IEnumerable<int> All(PositionCursor cursor)
    {
        for (var position = cursor.Next(); position != PositionCursor.None; position = cursor.Next())
            yield return position;
    }

    private static IndexContents Replay(byte[] frames)
    {
        var contents = new IndexContents();
        var frame = new IndexFrame();
        for (var place = 0; place < frames.Length;)
        {
            var end = place + IndexFrame.HeaderLength + BinaryPrimitives.ReadInt32LittleEndian(frames.AsSpan(place));
            Assert.True(frame.TryRead(frames, place, end, contents.Head, contents.Chain));
            contents.Tail.Add(frame);
            place = end;
        }
        return contents;
    }

    private static Gen<PreparedEvent> AnyStored() =>
        from e in Generators.Event
        from version in Gen.Frequency((3, Gen.Constant(1)), (1, Gen.Choose(2, int.MaxValue)))
        from hasMetadata in Gen.Elements(true, false)
        select new PreparedEvent(e.Type!, version, [.. e.Tags.Distinct()], e.Id, e.Json.ToArray(), hasMetadata ? "{\"ü\":\"😀\"}"u8.ToArray() : []);

    private static StoredEvent[] Number(PreparedEvent[] events, int[] counts)
    {
        var stored = new List<StoredEvent>();
        foreach (var count in counts)
        {
            var first = stored.Count + 1;
            for (var at = 0; at < count; at++)
            {
                stored.Add(new StoredEvent(events[stored.Count], stored.Count
                    + 1, new CommitRange(first, first + count - 1, first / 2), 639_000_000_000_000_000
                    + stored.Count)
                { Checksum = (uint)(7 * stored.Count) });
            }
        }
        return [.. stored];
    }
}
