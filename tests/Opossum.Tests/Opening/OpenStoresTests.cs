using Opossum.FileSystem;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>Several stores open on one folder, and what somebody does to its files meanwhile.</summary>
public sealed class OpenStoresTests
{
    public static TheoryData<string> Kinds => [.. Enum.GetNames<VolumeKind>()];

    /// <summary>Where a name does not go on leading to a file that was deleted; see docs/decisions/0015.</summary>
    public static TheoryData<string> KindsThatForgetDeletedFiles =>
        [.. Enum.GetNames<VolumeKind>().Where(static kind => kind != nameof(VolumeKind.Fuse))];

    [Fact]
    public void A_store_is_new_to_the_opening_that_created_it_even_if_another_one_appends_first()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        using var creator = place.Disk!.Attach();
        FileSystemEventStore? other = null;
        creator.BeforeOperation = operation =>
        {
            if (other is not null || operation is not { Kind: OperationKind.Open } || operation.Path != place.Layout.IndexFile
                || creator.GetKind(place.Layout.StoreFile) == EntryKind.Missing)
            {
                return;
            }
            other = place.Open();
            other.AppendAsync([New("a")]).GetAwaiter().GetResult();
        };

        var created = place.Open(creator);

        Assert.Equal((true, false), (created.IsNew, other!.IsNew));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Stores_on_one_disk_follow_each_other(string kind)
    {
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        FileSystemEventStore[] stores = [place.Open(), place.Open(), place.Open()];
        for (var round = 0; round < 12; round++)
        {
            var result = await stores[round % 3].AppendAsync([New($"t{round % 5}", $"k:{round % 4}"), New("last", $"round:{round}")]);
            Assert.Equal(new AppendResult { FirstPosition = 2 * round + 1, LastPosition = 2 * round + 2 }, result);
            foreach (var store in stores)
            {
                Assert.Equal(2 * round + 2, await store.GetHeadAsync());
                Assert.Equal([2 * round + 2], await store.PositionsAsync(Tagged($"round:{round}")));
            }
        }
        foreach (var store in stores)
        {
            Assert.Equal((await stores[0].ReadAllAsync(Tagged("k:1"))).Select(e => e.Id),
                (await store.ReadAllAsync(Tagged("k:1"))).Select(e => e.Id));
        }

        place.AssertClean();
    }

    [Theory]
    [MemberData(nameof(KindsThatForgetDeletedFiles))]
    public async Task Index_files_deleted_under_open_stores_are_noticed_within_a_second_and_built_again(string kind)
    {
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        FileSystemEventStore first = place.Open(), second = place.Open();
        await first.AppendAsync([New("a", "k:1"), New("b", "k:1")]);
        Assert.Equal([1, 2], await second.PositionsAsync(Tagged("k:1")));

        foreach (var path in new[] { place.Layout.IndexFile, place.Layout.Segment(0) })
        {
            var head = await first.GetHeadAsync();
            place.Delete(path);
            ((SimulatedClock)place.Clock).Advance(TimeSpan.FromSeconds(1));
            foreach (var store in new[] { first, second })
                Assert.Equal(head, (await store.PositionsAsync(Tagged("k:1"))).Count);
            await first.AppendAsync([New("c", "k:1")]);
            Assert.True(place.Exists(path));
            await second.AppendAsync([New("d", "k:1")]);
            Assert.Equal(head + 2, (await first.PositionsAsync(Tagged("k:1"))).Count);
            place.AssertClean();
        }
    }

    [Theory]
    [MemberData(nameof(KindsThatForgetDeletedFiles))]
    public async Task Appends_go_on_after_the_segment_alone_is_deleted_and_events_are_read_from_their_files(string kind)
    {
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var store = place.Open();
        await store.AppendAsync([New("a", "k:1")]);
        place.Delete(place.Layout.Segment(0));
        for (var position = 2; position <= 4; position++)
        {
            Assert.Equal(new AppendResult { FirstPosition = position, LastPosition = position },
                await store.AppendAsync([New("b", "k:1")], new AppendCondition(Tagged("k:1"), After: position - 1)));
            Assert.Equal(position, (await store.ReadAllAsync(Tagged("k:1"))).Count);
        }
        var other = place.Open();
        Assert.Equal([1, 2, 3, 4], await other.PositionsAsync(Tagged("k:1")));
        await store.AppendAsync([New("c", "k:1")]);
        Assert.Equal([1, 2, 3, 4, 5], await other.PositionsAsync(Tagged("k:1")));
        place.AssertClean();
    }

    [Fact]
    public async Task An_append_before_the_deletion_is_noticed_loses_nothing()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        FileSystemEventStore first = place.Open(), second = place.Open();
        await first.AppendAsync([New("a", "k:1")]);
        place.Delete(place.Layout.IndexFile);
        place.Delete(place.Layout.Segment(0));

        Assert.Equal(new AppendResult { FirstPosition = 2, LastPosition = 2 }, await first.AppendAsync([New("b", "k:1")], new AppendCondition(Tagged("k:1"), After: 1)));
        var third = place.Open();
        Assert.Equal(new AppendResult { FirstPosition = 3, LastPosition = 3 }, await third.AppendAsync([New("c", "k:1")]));
        Assert.Equal(3,
            (await Assert.ThrowsAsync<AppendConditionFailedException>(async () => await second.AppendAsync([New("x")],
                new AppendCondition(Tagged("k:1"), After: 2)))).ConflictingPosition);
        Assert.Equal(new AppendResult { FirstPosition = 4, LastPosition = 4 }, await first.AppendAsync([New("d", "k:1")]));
        ((SimulatedClock)place.Clock).Advance(TimeSpan.FromSeconds(1));
        foreach (var store in new[] { first, second, third })
        {
            await store.AppendAsync([New("e", "k:1")]);
            Assert.Equal(await store.GetHeadAsync(), (await store.PositionsAsync(Tagged("k:1"))).Count);
        }
        Assert.Equal(7, await second.GetHeadAsync());
        place.AssertClean();
    }

    [Fact]
    public async Task A_read_after_the_deletion_sees_what_another_process_wrote_before_it()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        FileSystemEventStore writer = place.Open(), reader = place.Open();
        await writer.AppendAsync([New("a", "k:1")]);
        place.Delete(place.Layout.IndexFile);
        place.Delete(place.Layout.Segment(0));
        ((SimulatedClock)place.Clock).Advance(TimeSpan.FromSeconds(1));

        Assert.Equal([1], await reader.PositionsAsync(Tagged("k:1")));
    }

    [Fact]
    public async Task An_append_goes_into_the_index_that_another_process_has_just_built_anew()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var first = place.Open();
        await first.AppendAsync([New("a", "k:1"), New("b", "k:1")]);
        place.Delete(place.Layout.IndexFile);
        var second = place.Open();

        await first.AppendAsync([New("c", "k:1")]);
        Assert.Equal([1, 2, 3], await second.PositionsAsync(Tagged("k:1")));
        place.AssertClean();
    }

    [Fact]
    public async Task The_event_of_a_damaged_line_is_read_from_its_file_and_the_next_append_mends_the_line()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync([New("a", "k:1"), New("b", "k:2"), New("c", "k:1")]);
        var segment = place.Bytes(place.Layout.Segment(0));
        place.Patch(place.Layout.Segment(0), segment.Length / 2, [0xFF, 0xFF, 0xFF]);
        Assert.NotEmpty(place.Check().Findings);

        Assert.Equal(["a", "b", "c"], (await store.ReadAllAsync()).Select(e => e.Type));
        await store.AppendAsync([New("d")]);
        place.AssertClean();
        Assert.Equal(segment, place.Bytes(place.Layout.Segment(0))[..segment.Length]);
    }

    [Fact]
    public async Task A_retry_is_known_although_the_line_is_damaged()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        NewEvent[] events = [New("a", "k:1"), New("b", "k:1")];
        var condition = new AppendCondition(Tagged("k:1"));
        await store.AppendAsync(events, condition);
        place.Patch(place.Layout.Segment(0), 40, [0xFF, 0xFF, 0xFF]);

        Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 2 }, await store.AppendAsync(events, condition));
    }

    [Fact]
    public async Task An_event_that_neither_file_holds_is_named()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync([New("a", "k:1")]);
        await store.AppendAsync([New("b", "k:2")]);
        place.Patch(place.Layout.Segment(0), 40, [0xFF, 0xFF, 0xFF]);
        place.Delete(place.Layout.EventFile(1));

        var error = await Assert.ThrowsAsync<StoreDamagedException>(async () => await store.ReadAllAsync());
        Assert.Equal((place.Layout.EventFile(1), 1, false), (error.Path, error.Position, error.IsTransient));
        Assert.Contains("is missing. StoreCheck (opossum check) names the remedy", error.Message, StringComparison.Ordinal);
        Assert.Equal([2], await store.PositionsAsync(Tagged("k:2")));
    }
}
