using System.Buffers.Binary;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Testing.Simulated;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>The index is derived: whatever happens to its files, the answers are right and the files are what they should be.</summary>
public sealed class IndexRebuildTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Theory]
    [InlineData("types-and-tags.idx")]
    [InlineData("newest segment")]
    public async Task An_index_file_cut_off_at_any_byte_is_made_whole(string name)
    {
        var (whole, events) = await CreateStoreAsync();
        var path = name == "types-and-tags.idx" ? place.Layout.IndexFile : place.Layout.Segment(place.Layout.ShardOf(events.Count));
        // At every byte, of all derived files, the crash tests' DerivedFileTests cut.
        for (var length = Seed.Value % 3; length < whole[path]!.Length; length += LongTests.Number(9, 3))
        {
            place.Restore(whole);
            place.Put(path, whole[path].AsSpan(0, length));
            await AssertWholeAsync(whole, events, $"cut off at {length}");
        }
    }

    [Theory]
    [InlineData("types-and-tags.idx")]
    [InlineData("newest segment")]
    public async Task An_index_file_whose_tail_is_zeros_is_made_whole(string name)
    {
        var (whole, events) = await CreateStoreAsync();
        var path = name == "types-and-tags.idx" ? place.Layout.IndexFile : place.Layout.Segment(place.Layout.ShardOf(events.Count));
        for (var from = 0; from < whole[path]!.Length; from += 7)
        {
            place.Restore(whole);
            var bytes = whole[path]!.ToArray();
            bytes.AsSpan(from).Clear();
            place.Put(path, bytes);
            await AssertWholeAsync(whole, events, $"zeros from {from}");
        }
    }

    [Fact]
    public async Task An_index_with_any_byte_changed_is_made_whole()
    {
        var (whole, events) = await CreateStoreAsync();
        for (var at = 0; at < whole[place.Layout.IndexFile]!.Length; at += 3)
        {
            place.Restore(whole);
            place.Patch(place.Layout.IndexFile, at, [(byte)(whole[place.Layout.IndexFile]![at] ^ 0x10)]);
            await AssertWholeAsync(whole, events, $"byte {at} changed");
        }
    }

    [Theory]
    [InlineData("types-and-tags.idx")]
    [InlineData("0000000000.jsonl")]
    [InlineData("both")]
    [InlineData("swapped")]
    public async Task Missing_or_swapped_index_files_are_built_again(string what)
    {
        var (whole, events) = await CreateStoreAsync();
        if (what != "0000000000.jsonl")
            place.Delete(place.Layout.IndexFile);
        if (what != "types-and-tags.idx")
            place.Delete(place.Layout.Segment(0));
        if (what == "swapped")
        {
            place.Put(place.Layout.IndexFile, whole[place.Layout.Segment(0)]);
            place.Put(place.Layout.Segment(0), whole[place.Layout.IndexFile]);
        }
        await AssertWholeAsync(whole, events, what);
    }

    [Fact]
    public async Task Bytes_behind_the_end_of_an_index_file_do_no_harm()
    {
        var (whole, events) = await CreateStoreAsync();
        foreach (var tail in new byte[][] { new byte[5000], [1], [200, 0, 0, 0, 1, 2, 3, 4, 5], [1, 0, 0, 0, 1, 2, 3, 4, 5],
            [.. whole[place.Layout.IndexFile]!.AsSpan(32)] })
        {
            foreach (var path in new[] { place.Layout.IndexFile, place.Layout.Segment(0) })
            {
                place.Restore(whole);
                place.Patch(path, whole[path]!.Length, tail);
                await AssertAnswersAsync(events, $"{tail.Length} bytes behind {path}");
                place.AssertClean();
            }
        }
    }

    [Fact]
    public async Task An_index_of_an_older_format_is_built_again()
    {
        var (whole, events) = await CreateStoreAsync();
        foreach (var path in new[] { place.Layout.IndexFile, place.Layout.Segment(0) })
        {
            place.Restore(whole);
            var header = whole[path].AsSpan(0, IndexHeader.Length).ToArray();
            BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(8), StoreLayout.IndexFormat - 1);
            BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(28), Crc32C.Of(header.AsSpan(0, 28)));
            place.Patch(path, 0, header);
            await AssertWholeAsync(whole, events, path);
        }
    }

    [Fact]
    public async Task An_index_of_another_store_is_built_again()
    {
        using var other = StorePlace.On(VolumeKind.Ext4);
        await other.Open().AppendAsync([New("foreign", "k:1"), New("foreign", "k:2")]);
        var (whole, events) = await CreateStoreAsync();
        place.Put(place.Layout.IndexFile, other.Bytes(other.Layout.IndexFile));
        place.Put(place.Layout.Segment(0), other.Bytes(other.Layout.Segment(0)));

        await AssertWholeAsync(whole, events, "another store's index");
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(5)]
    public async Task Event_files_of_another_backup_are_indexed_anew(int events)
    {
        // The same store, restored to a state in which it went another way: shorter, as long, or longer.
        var store = place.Open();
        await store.AppendAsync([New("first", "k:1")]);
        place.CloseStores();
        var common = place.Snapshot();
        store = place.Open();
        for (var at = 0; at < events; at++)
            await store.AppendAsync([New($"backup{at}", "k:1", "k:2")]);
        var expected = await store.ReadAllAsync();
        place.CloseStores();
        var backup = place.Snapshot(place.Layout.Events);
        place.Restore(common);
        store = place.Open();
        for (var at = 0; at < 3; at++)
            await store.AppendAsync([New($"live{at}", "k:1")]);
        place.CloseStores();

        place.Restore(backup, place.Layout.Events);

        await AssertAnswersAsync(expected, "backup");
        place.AssertClean();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public async Task Event_files_missing_at_the_end_are_damage_and_both_remedies_that_it_names_lose_nothing(int missing)
    {
        var store = place.Open();
        foreach (var type in new[] { "a", "b", "c", "d" })
            await store.AppendAsync([New(type, "k:1")]);
        var all = await store.ReadAllAsync();
        place.CloseStores();
        for (var position = 5 - missing; position <= 4; position++)
            place.Delete(place.Layout.EventFile(position));
        var before = place.Snapshot(place.Layout.Events);

        var damage = Assert.Throws<StoreDamagedException>(() => place.Open());

        Assert.Equal((4, place.Layout.EventFile(4)), (damage.Position, damage.Path));
        Assert.Contains(nameof(StoreRepair.RestoreFromIndexAsync), damage.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(StoreRepair.TruncateAsync), damage.Message, StringComparison.Ordinal);
        Assert.Equal(before, place.Snapshot(place.Layout.Events));

        var cut = place.Repair(Remedies.Truncate(4 - missing));
        Assert.Equal(Enumerable.Range(5 - missing, missing).Select(position => (long)position), cut.SetAside);
        await AssertAnswersAsync([.. all.Take(4 - missing)], "cut off");
        place.CloseStores();
        place.Repair(Remedies.RestoreFrom(cut.QuarantineFolder!));
        await AssertAnswersAsync(all, "put back");
        place.CloseStores();
        for (var position = 5 - missing; position <= 4; position++)
            place.Delete(place.Layout.EventFile(position));
        place.Repair(Remedies.RestoreFromIndex);
        await AssertAnswersAsync(all, "restored");
        place.AssertClean();
    }

    [Fact]
    public async Task A_store_whose_store_file_is_missing_gets_it_again()
    {
        var (_, events) = await CreateStoreAsync();
        place.Delete(place.Layout.StoreFile);

        await AssertAnswersAsync(events, "no store.json");
        Assert.True(place.Exists(place.Layout.StoreFile));
        place.AssertClean();
    }

    [Fact]
    public async Task Without_store_file_and_last_event_file_the_copy_in_the_index_is_kept_and_restored()
    {
        var (_, events) = await CreateStoreAsync();
        var id = (await place.Open().GetStatusAsync()).Id;
        place.CloseStores();
        place.Delete(place.Layout.StoreFile);
        place.Delete(place.Layout.EventFile(events.Count));

        Assert.Throws<StoreDamagedException>(() => place.Open(static options => options.ReadOnly = true));
        Assert.Contains(place.Check().Findings, each => each.Remedy == Remedy.RestoreFromIndex);
        Assert.Throws<StoreDamagedException>(() => place.Open());

        place.Repair(Remedies.RestoreFromIndex);
        await AssertAnswersAsync(events, "restored");
        Assert.Equal(id, (await place.Open().GetStatusAsync()).Id);
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Event_files_alone_are_a_store()
    {
        var (whole, events) = await CreateStoreAsync();
        var alone =
            new SortedDictionary<string, byte[]?>(whole.Where(each => each.Key.StartsWith(place.Layout.Events,
                StringComparison.Ordinal)).ToDictionary(), StringComparer.Ordinal);
        using var copy = StorePlace.On(VolumeKind.Ext4);
        copy.Restore(alone);

        Assert.Equal(events.Select(e => e.Id), (await copy.Open().ReadAllAsync()).Select(e => e.Id));
        copy.AssertClean();
    }

    [Fact]
    public async Task A_large_rebuild_reports_its_progress_and_gives_the_same_bytes()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 20);
        var store = place.Open(options => options.FlushEventsImmediately = false);
        for (var at = 0; at < 11; at++)
            await store.AppendAsync(Many(10, "t", $"k:{at}"));
        place.CloseStores();
        var index = place.Bytes(place.Layout.IndexFile);
        var segment = place.Bytes(place.Layout.Segment(0));
        place.Delete(place.Layout.IndexFile);

        var reports = new Reports();
        store = place.Open(options => options.Advanced.RebuildProgress = reports);
        Assert.Equal(10, (await store.PositionsAsync(Tagged("k:10"))).Count);
        Assert.Equal([19, 20, 21], await store.PositionsAsync(Query.All, new ReadOptions { After = 18, Limit = 3 }));
        Assert.Equal(new StoreProgress { Operation = StoreOperation.IndexRebuild, Done = 110, Total = 110 }, reports.All[^1]);
        Assert.All(reports.All, each => Assert.Equal(110, each.Total));
        Assert.True(reports.All.Count > 2);
        Assert.Equal(reports.All.Select(each => each.Done).Distinct().Order(), reports.All.Select(each => each.Done));
        place.CloseStores();
        Assert.Equal(index, place.Bytes(place.Layout.IndexFile));
        Assert.Equal(segment, place.Bytes(place.Layout.Segment(0)));
    }

    // The store as it is on the disk, closed, and its events: single ones and appends of several, many tags and types.
    private async Task<(SortedDictionary<string, byte[]?> Files, List<SequencedEvent> Events)> CreateStoreAsync()
    {
        var store = place.Open();
        await store.AppendAsync([New("a", "k:1")]);
        await store.AppendAsync([New("b", "k:1", "k:2"), New("c", "k:3"), New("a", "k:2")]);
        await store.AppendAsync([NewEvent.FromJson("grüße 😀", """{"a":[1,{"b":"\u0000ü"}]}""", new Tag("k", "😀"), new Tag("k", "1"))]);
        await store.AppendAsync([New("b"), New("d", "k:1")]);
        var events = await store.ReadAllAsync();
        place.CloseStores();
        return (place.Snapshot(), events);
    }

    private async Task AssertWholeAsync(SortedDictionary<string, byte[]?> whole, List<SequencedEvent> events, string what)
    {
        await AssertAnswersAsync(events, what);
        foreach (var (path, bytes) in whole)
        {
            if (path != place.Layout.LockFile)
                Assert.True(bytes is null || Used(bytes).SequenceEqual(Used(place.Bytes(path))), $"{what}: {path} differs");
        }
    }

    // Without the room that is reserved.
    private static ReadOnlySpan<byte> Used(byte[] bytes) => bytes.AsSpan().TrimEnd("\0\n"u8);

    private async Task AssertAnswersAsync(List<SequencedEvent> events, string what)
    {
        var store = place.Open();
        var queries = events.SelectMany(e => e.Tags.Select(tag => Query.FromTags(tag)).Append(Query.FromEventTypes(e.Type)));
        foreach (var query in queries.Append(Query.All))
        {
            Assert.Equal(events.Where(query.Matches).Select(Describe), (await store.ReadAllAsync(query)).Select(Describe));
            Assert.Equal(events.Where(query.Matches).Reverse().Select(Describe),
                (await store.ReadAllAsync(query, new ReadOptions { Backwards = true })).Select(Describe));
        }
        place.CloseStores();

        string Describe(SequencedEvent e) =>
            $"{what}: {e.Position} {e.Id} {e.Type} {string.Join(' ', e.Tags)} {System.Text.Encoding.UTF8.GetString(e.Json.Span)}";
    }

    private sealed class Reports : IProgress<StoreProgress>
    {
        public List<StoreProgress> All { get; } = [];

        public void Report(StoreProgress value) => All.Add(value);
    }
}
