using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Hostile;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Damage;

/// <summary>Whatever happens to whichever byte of the index files: right answers, or as many of them as are certain, and never a wrong one.</summary>
public sealed class IndexDamageTests(ITestOutputHelper output)
{
    private enum Change
    {
        OneBit,
        HighBit,
        Zero,
        Ones,
        Cut,
        Removed,
        Inserted,
        SectorOfZeros,
        FromTheBeginning,
    }

    [Fact]
    public async Task Any_change_of_any_byte()
    {
        using var original = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(original);
        var groups =
            from path in (string[])[original.Layout.IndexFile, original.Layout.Segment(0)]
            select new CaseGroup<(string Path, int At, Change Change)>(() =>
            [
                .. from at in Enumerable.Range(0, whole.Files[path]!.Length)
                   from change in Enum.GetValues<Change>()
                   select (path, at, change),
            ]);
        Cases.TryEach(groups, each => Try(whole, each.Path, each.At, each.Change), output, share: 0.5);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_valid_line_of_another_event_that_a_late_write_left_is_not_believed(bool inRun)
    {
        const int Position = 5;
        using var place = StorePlace.On(VolumeKind.Ext4);
        using var other = StorePlace.On(VolumeKind.Ext4);
        place.Runs = new RunSettings { Length = 8, Fan = 2, LengthMax = 64, InBackground = false };
        var store = place.Open();
        await AppendAsync(store, "longer");
        await AppendAsync(other.Open(), "short");
        if (inRun)
            store.MakeRuns();
        place.CloseStores();
        var shard = place.Layout.ShardOf(Position);
        var (segment, number) = (place.Layout.Segment(shard), (int)(Position - StoreLayout.FirstOf(shard)));
        var lines = other.Bytes(segment);
        var at = Lines.StartOf(lines, number);
        Assert.Equal(at, Lines.StartOf(place.Bytes(segment), number));
        place.Patch(segment, at, lines.AsSpan(at..Lines.StartOf(lines, number + 1)));

        var opened = place.Open();
        Assert.Equal("longer", Assert.Single(await opened.ReadAllAsync(Query.FromTags(new Tag("it", "yes")))).Type);
        Assert.Equal(["a", "longer", "a"], (await opened.ReadAllAsync()).Select(static e => e.Type).Skip(Position - 2).Take(3));

        static async Task AppendAsync(FileSystemEventStore store, string type)
        {
            for (var position = 1; position <= 10; position++)
                await store.AppendAsync(position == Position ? Events.New(type, tags: "it:yes") : Events.New("a"));
        }
    }

    [Fact]
    public async Task Lost_lines_are_written_again_some_at_each_append()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync(Many(600, "a"));
        for (var shard = 0L; shard <= 600; shard += place.Layout.ShardPositions)
            place.Patch(place.Layout.Segment(shard), 0, new byte[place.Bytes(place.Layout.Segment(shard)).Length]);
        Assert.Equal(600, (await store.ReadAllAsync()).Count);

        var mended = new List<int>();
        for (var appends = 0; appends < 5; appends++)
        {
            place.Disk!.Trace = [];
            await store.AppendAsync([New("b")]);
            mended.Add(place.Disk.Trace.Count(each => each.Kind == OperationKind.Open && each.Path.EndsWith(".json", StringComparison.Ordinal)));
        }
        Assert.Equal([256, 256, 88, 0, 0], mended);
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Any_change_of_a_segment_under_an_open_store()
    {
        using var original = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(original);
        var cases = from at in Enumerable.Range(0, whole.Files[original.Layout.Segment(0)]!.Length)
                    from change in (Change[])[Change.OneBit, Change.Zero, Change.Ones, Change.SectorOfZeros]
                    select (At: at, Change: change);
        Cases.TryEach(
            [.. cases],
            each =>
            {
                using var place = StorePlace.On(VolumeKind.Ext4);
                place.Restore(whole.Files);
                var (store, reader) = (place.Open(), place.Open(options => options.ReadOnly = true));
                place.Patch(place.Layout.Segment(0), 0, Changed(whole.Files[place.Layout.Segment(0)]!, each.At, each.Change));
                whole.AssertAnswers(store, whole.Head);
                whole.AssertAnswers(reader, whole.Head);
                store.AppendAsync([New("next")]).GetAwaiter().GetResult();
                place.CloseStores();
                place.AssertClean();
                return 1;
            },
            output, share: 0.5);
    }

    [Theory]
    [InlineData(6)]
    [InlineData(10)]
    public async Task A_forged_length_of_a_line_costs_no_memory(int position)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(place);
        place.Put(place.Layout.IndexFile, WithLineLength(place, position, StoreLayout.LineBytesMax));

        // On this thread, so that what it allocates can be counted.
        foreach (var readOnly in (bool[])[true, false])
        {
            var store = place.Open(options => options.ReadOnly = readOnly);
            Allocations.AssertBounded(1_000_000, 1,
                () =>
                    Assert.Equal(whole.Events[position - 1].Id,
                        store.ReadAllAsync(Query.All, new ReadOptions { After = position - 1, Limit = 1 }).GetAwaiter().GetResult()[0].Id));
            whole.AssertAnswers(store, whole.Head);
        }
    }

    [Theory]
    [InlineData(6)]
    [InlineData(10)]
    public async Task A_length_that_no_line_can_have_makes_its_frame_none(int position)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(place);
        place.Put(place.Layout.IndexFile, WithLineLength(place, position, StoreLayout.LineBytesMax + 1));

        whole.AssertAnswers(place.Open(options => options.ReadOnly = true));
        whole.AssertAnswers(place.Open(), whole.Head);
        place.AssertClean();
    }

    // The index as it would be if the line of one event had another length, checksums and all.
    private static byte[] WithLineLength(StorePlace place, long position, int length)
    {
        var (bytes, frame) = (place.Bytes(place.Layout.IndexFile), new IndexFrame());
        var contents = new IndexContents(BitConverter.ToUInt32(bytes, IndexHeader.Length - sizeof(uint)));
        var forged = new ByteWriter();
        forged.WriteBytes(bytes.AsSpan(0, IndexHeader.Length));
        var chain = contents.Chain;
        for (var at = IndexHeader.Length; at < bytes.Length && bytes[at] != 0;)
        {
            var end = at + IndexFrame.HeaderLength + BitConverter.ToInt32(bytes, at);
            Assert.True(frame.TryRead(bytes, at, end, contents.Head, contents.Chain));
            var isMeant = contents.Head < position && position <= contents.Head + frame.Events.Length;
            contents.Tail.Add(frame);
            if (isMeant)
            {
                chain = WriteForged(forged, chain, bytes.AsSpan(at, end - at),
                    Length(frame.Events[(int)position - 1 - (contents.Head - frame.Events.Length)].LineLength), Length(length));
            }
            else
            {
                chain = Write(forged, chain, bytes.AsSpan(at + IndexFrame.HeaderLength, end - at - IndexFrame.HeaderLength));
            }

            at = end;
        }
        return forged.Written.ToArray();
    }

    private static uint WriteForged(ByteWriter forged, uint chain, ReadOnlySpan<byte> frame, byte[] length, byte[] forgedLength)
    {
        var place = frame.LastIndexOf(length);
        return Write(forged, chain, [.. frame[IndexFrame.HeaderLength..place], .. forgedLength, .. frame[(place + length.Length)..]]);
    }

    private static uint Write(ByteWriter forged, uint chain, ReadOnlySpan<byte> payload)
    {
        var record = forged.OpenRecord();
        forged.WriteBytes(payload);
        return forged.CloseFrame(record, chain);
    }

    private static byte[] Length(int number)
    {
        var writer = new ByteWriter();
        writer.WriteVarint(number);
        return writer.Written.ToArray();
    }

    private static int Try(WholeStore whole, string path, int at, Change change)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        place.Restore(whole.Files);
        place.Put(path, Changed(whole.Files[path]!, at, change));
        var before = place.Snapshot();
        // The last append is certain only where nobody can be at work, or nothing is left that could be behind it.
        whole.AssertAnswers(place.Open(options => options.ReadOnly = true));
        place.Disk!.Volume = place.Disk.Volume with { IsReadOnly = true };
        whole.AssertAnswers(place.Open(options => options.ReadOnly = true), whole.Head);
        place.CloseStores();
        Assert.Equal(before, place.Snapshot());

        var store = place.Open();
        whole.AssertAnswers(store, whole.Head);
        Assert.Equal(new AppendResult { FirstPosition = 11, LastPosition = 12 },
            store.AppendAsync([New("next"), New("next")], new AppendCondition(Tagged("k:2"), After: 10)).GetAwaiter().GetResult());
        place.AssertClean();
        return 3;
    }

    private static byte[] Changed(byte[] bytes, int at, Change change)
    {
        var changed = bytes.ToArray();
        switch (change)
        {
            case Change.OneBit:
                changed[at] ^= 1;
                break;
            case Change.HighBit:
                changed[at] ^= 0x80;
                break;
            case Change.Zero:
                changed[at] = 0;
                break;
            case Change.Ones:
                changed[at] = 0xFF;
                break;
            case Change.SectorOfZeros:
                changed.AsSpan(at, Math.Min(512, changed.Length - at)).Clear();
                break;
            case Change.Cut:
                return changed[..at];
            case Change.Removed:
                return [.. changed[..at], .. changed[(at + 1)..]];
            case Change.Inserted:
                return [.. changed[..at], 0x5A, .. changed[at..]];
            default:
                return [.. changed[at..]];
        }
        return changed;
    }
}
