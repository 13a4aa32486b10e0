using Opossum.Testing;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Status;

/// <summary>What a store tells of itself.</summary>
public sealed class StoreStatusTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_store_tells_what_it_holds()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        Assert.Equal((0L, 0, 0), await SummaryAsync(store));
        await store.AppendAsync([New("sent", "parcel:1", "town:Ulm"), New("sent", "parcel:2", "town:Ulm", "town:Bonn"), New("lost", "parcel:1")]);
        await store.AppendAsync([New("noted")]);

        var status = await store.GetStatusAsync(cancellationToken: Cancellation);

        Assert.Equal((4L, 3, 2), await SummaryAsync(store));
        Assert.Equal([new EventTypeCount { EventType = "sent", Events = 2 }, new EventTypeCount
        {
            EventType = "lost",
            Events = 1,
        }, new EventTypeCount
        {
            EventType = "noted",
            Events = 1,
        }], status.EventTypes);
        // An event with two tags of a key counts once.
        Assert.Equal([new TagKeyCount { Key = "parcel", Events = 3, Values = 2 }, new TagKeyCount
        {
            Key = "town",
            Events = 2,
            Values = 2,
        }], status.TagKeys);
        Assert.Equal((place.Root, "ext4", false, false, FlushMethod.LastFile),
            (status.Path, status.FileSystem, status.IsNetwork, status.IsReadOnly, status.Flush));
        Assert.Equal((false, null, null), (status.IsFaulted, status.Fault, status.Sizes));
        Assert.Equal("/store: position 4, 3 event types, 2 tag keys, on ext4", status.ToString());
        Assert.Equal("/store: position 4, 3 event types, 2 tag keys, 2 events in the journal, 1 sealed folder, on ext4",
            (status with { EventsInJournal = 2, SealedFolders = 1 }).ToString());
        Assert.Equal("/store: position 4, 1 event type, 1 tag key, 1 event in the journal, on ext4",
            (status with { EventTypesTotal = 1, TagKeysTotal = 1, EventsInJournal = 1 }).ToString());
    }

    [Fact]
    public async Task The_id_stays_with_the_store()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var id = (await place.Open().GetStatusAsync(cancellationToken: Cancellation)).Id;
        place.CloseStores();

        Assert.NotNull(id);
        Assert.NotEqual(Guid.Empty, id);
        Assert.Equal(id, (await place.Open().GetStatusAsync(cancellationToken: Cancellation)).Id);
    }

    [Fact]
    public async Task Of_many_types_and_keys_those_with_the_most_events_are_listed()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync([.. Enumerable.Range(0, 150).SelectMany(number => Many(number + 1, $"type-{number}", $"key-{number}:1"))],
            cancellationToken: Cancellation);

        var status = await store.GetStatusAsync(cancellationToken: Cancellation);

        Assert.Equal((150, 150, 100, 100), (status.EventTypesTotal, status.TagKeysTotal, status.EventTypes.Count, status.TagKeys.Count));
        Assert.Equal(Enumerable.Range(50, 100).Reverse().Select(number => new EventTypeCount
        {
            EventType = $"type-{number}",
            Events = number + 1,
        }), status.EventTypes);
        Assert.Equal(Enumerable.Range(50, 100).Reverse().Select(number => new TagKeyCount
        {
            Key = $"key-{number}",
            Events = number + 1,
            Values = 1,
        }), status.TagKeys);
    }

    [Fact]
    public async Task Counts_agree_with_the_events_whatever_the_tags_are()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        var random = new Random(7);
        for (var number = 0; number < 60; number++)
        {
            await store.AppendAsync([New($"t{random.Next(4)}",
                [.. Enumerable.Range(0,
                    random.Next(6)).Select(_ => $"{(char)('a' + random.Next(3))}ä:{random.Next(5)}:{random.Next(2)}").Distinct()])]);
        }

        var status = await store.GetStatusAsync(cancellationToken: Cancellation);
        var events = await store.ReadAllAsync();

        Assert.Equal(events.GroupBy(e => e.Type).Select(each => (each.Key, (long)each.Count())).Order(),
            status.EventTypes.Select(each => (each.EventType, each.Events)).Order());
        Assert.Equal(
            events.SelectMany(e => e.Tags.Select(tag => tag.Key)).Distinct().Select(key => (
                key,
                (long)events.Count(e => e.Tags.Any(tag => tag.Key == key)),
                (long)events.SelectMany(e => e.Tags).Where(tag => tag.Key == key).Distinct().Count())).Order(),
            status.TagKeys.Select(each => (each.Key, each.Events, each.Values)).Order());
    }

    [Fact]
    public async Task Files_are_measured_when_that_is_asked_for()
    {
        using var place = StorePlace.InFolder();
        var store = place.Open();
        await store.AppendAsync(Many(30, "a", "k:1"), cancellationToken: Cancellation);
        place.Put($"{place.Layout.Quarantine}/20261121T124944.285Z/0000000031.json", new byte[123]);
        place.Put($"{place.Layout.Projections}/towns/0000000001-live/states/ab/x.json", new byte[45]);

        var sizes = (await store.GetStatusAsync(withSizes: true, Cancellation)).Sizes;

        var indexBytes = BytesBelow(place.Layout.Index) + BytesBelow(place.Layout.Log);
        Assert.Equal(new StoreSizes
        {
            EventFiles = 30,
            EventBytes = BytesBelow(place.Layout.Events),
            IndexBytes = indexBytes,
            ProjectionBytes = 45,
            QuarantineBytes = 123,
        }, sizes);
        Assert.Equal(BytesBelow(place.Layout.Events) + indexBytes + 168, sizes!.Value.TotalBytes);

        static long BytesBelow(string folder) => new DirectoryInfo(folder).EnumerateFiles("*", SearchOption.AllDirectories).Sum(file => file.Length);
    }

    [Fact]
    public async Task A_store_that_is_open_for_reading_only_tells_the_same_and_changes_nothing()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        await place.Open().AppendAsync([New("sent", "parcel:1"), New("lost", "parcel:1")], cancellationToken: Cancellation);
        place.CloseStores();
        var before = place.Snapshot();
        var writer = place.Open();
        var known = await writer.GetStatusAsync(cancellationToken: Cancellation);
        place.CloseStores();

        var status = await place.Open(options => options.ReadOnly = true).GetStatusAsync(withSizes: true, Cancellation);

        Assert.Equal((true, FlushMethod.None, known.Id, 2L), (status.IsReadOnly, status.Flush, status.Id, status.Head));
        Assert.Equal(known.TagKeys, status.TagKeys);
        Assert.Equal(2, status.Sizes?.EventFiles);
        Assert.Equal(before.Keys, place.Snapshot().Keys);
    }

    [Fact]
    public async Task A_store_in_memory_says_so()
    {
        await using var store = InMemoryEventStore.Open();
        await store.AppendAsync([New("sent", "parcel:1")], cancellationToken: Cancellation);

        var status = await store.GetStatusAsync(withSizes: true, Cancellation);

        Assert.Equal((1L, "memory", FlushMethod.None, "nothing is flushed"), (status.Head, status.FileSystem, status.Flush, status.FlushInWords));
        Assert.Equal(1, status.Sizes?.EventFiles);
    }

    [Theory]
    [InlineData("Ext4", FlushMethod.LastFile, false)]
    [InlineData("Btrfs", FlushMethod.WholeFileSystem, false)]
    [InlineData("Posix", FlushMethod.EachFileAndFolder, false)]
    [InlineData("Smb", FlushMethod.EachFile, true)]
    [InlineData("Fuse", FlushMethod.EachFileAndFolder, true)]
    public async Task Each_file_system_has_its_way_of_flushing(string kind, FlushMethod flush, bool isNetwork)
    {
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));

        var status = await place.Open().GetStatusAsync(cancellationToken: Cancellation);

        Assert.Equal((flush, isNetwork), (status.Flush, status.IsNetwork));
    }

    [Fact]
    public async Task Flushing_in_the_background_is_told()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);

        Assert.Equal(FlushMethod.Background,
            (await place.Open(options => options.FlushEventsImmediately = false).GetStatusAsync(cancellationToken: Cancellation)).Flush);
    }

    [Fact]
    public async Task A_faulted_store_says_why()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        place.Disk!.Fail(new Fault { When = operation => operation.Kind == OperationKind.Flush });
        var fault =
            await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync([New("sent")], cancellationToken: Cancellation));

        var status = await store.GetStatusAsync(cancellationToken: Cancellation);

        Assert.True(status.IsFaulted);
        Assert.Contains(status.Fault!, fault.Message, StringComparison.Ordinal);
        Assert.EndsWith($"It accepts no appends until it is opened again: {status.Fault}", status.ToString(), StringComparison.Ordinal);
        place.Disk.Mend();
    }

    [Fact]
    public async Task A_fault_that_no_append_has_met_lets_a_host_open_the_store_again()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open(options => options.UseJournal = true);
        await store.AppendAsync([New("sent")], cancellationToken: Cancellation);
        Assert.False(store.Faulted.IsCompleted);
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind is OperationKind.Flush or OperationKind.FlushWhole or OperationKind.FlushFolder,
        });

        Assert.Throws<StoreFaultedException>(() => store.BringFilesUp());

        Assert.True(store.Faulted.IsCompleted);
        place.Disk.Mend();
    }

    private static async Task<(long Head, int Types, int Keys)> SummaryAsync(FileSystemEventStore store)
    {
        var status = await store.GetStatusAsync(cancellationToken: Cancellation);
        return (status.Head, status.EventTypesTotal, status.TagKeysTotal);
    }
}
