using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Index;

/// <summary>Somebody deletes the index files while two processes have the store open.</summary>
public sealed class DeletedIndexTests : IDisposable
{
    private const string Root = "/store";

    private readonly SimulatedClock clock = new();
    private readonly StoreLayout layout = new(Root);
    private readonly SimulatedDisk disk;
    private readonly SimulatedFileSystem outside;

    public DeletedIndexTests()
    {
        disk = new SimulatedDisk(clock: clock);
        outside = disk.Attach();
    }

    [Fact]
    public async Task What_one_appends_before_it_notices_is_seen_by_those_who_use_the_new_index()
    {
        using var store = Open();
        await AppendAsync(store, 3);
        Delete();
        using var other = Open();

        await AppendAsync(store, 1);

        Assert.Equal(4, await other.GetHeadAsync());
        clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(4, await store.GetHeadAsync());
        Check();
    }

    [Fact]
    public async Task An_index_that_is_closed_while_it_opens_the_file_that_replaced_its_own_stays_closed()
    {
        using var store = Open();
        await AppendAsync(store, 3);
        using var client = disk.Attach();
        using var index = new EventIndex(StoreFolder.OpenExisting(client, layout), clock);
        Assert.True(index.TryLoad());
        Delete();
        using var other = Open();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Open && operation.Path == layout.IndexFile)
                index.Dispose();
        };

        Assert.Throws<ObjectDisposedException>(() => index.CatchUp(underLock: true));
        Assert.Throws<ObjectDisposedException>(() => index.Published);
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Smb))]
    [InlineData(nameof(VolumeKind.Nfs))]
    [InlineData(nameof(VolumeKind.Fuse))]
    public async Task Those_who_have_the_store_open_follow_an_index_that_is_built_again(string kind)
    {
        using var place = StorePlace.On(new SimulatedDisk(Enum.Parse<VolumeKind>(kind), clock));
        var store = place.Open();
        var reader = place.Open();
        await AppendAsync(store, 3);
        Assert.Equal(3, await reader.GetHeadAsync());
        place.Patch(place.Layout.IndexFile, 0, "OTHERIDX"u8);
        var other = place.Open();
        await AppendAsync(other, 2);

        clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(5, await reader.GetHeadAsync());
        await AppendAsync(store, 1);
        Assert.Equal(6, (await reader.ReadAllAsync()).Count);
        Assert.Equal(6, (await other.ReadAllAsync()).Count);
        place.CloseStores();
        place.AssertClean();
    }

    // Where the files stay and are filled again, those who follow them go on at the end that they know.
    [Fact]
    public async Task An_index_that_is_built_again_has_the_same_bytes()
    {
        using var place = StorePlace.On(new SimulatedDisk(VolumeKind.Fuse, clock));
        var store = place.Open();
        foreach (var count in (int[])[1, 5, 1, 40, 3])
            await Task.WhenAll(Enumerable.Range(0, 3).Select(at => store.AppendAsync(Events.Many(count, $"t{at}", $"k:{count}", $"at:{at}"))));
        place.CloseStores();
        var (before, lines) = (place.Snapshot(place.Layout.Index), place.Snapshot(place.Layout.Log));
        place.Patch(place.Layout.IndexFile, 0, "OTHERIDX"u8);
        place.Open();
        place.CloseStores();

        Assert.Equal(before, place.Snapshot(place.Layout.Index));
        Assert.Equal([place.Layout.Index, place.Layout.IndexFile], before.Keys);
        Assert.Equal(lines, place.Snapshot(place.Layout.Log));
        Assert.Equal([place.Layout.Log, place.Layout.Segment(0)], lines.Keys);
    }

    [Fact]
    public async Task Nothing_vanishes_for_a_reader_while_another_builds_the_index_again()
    {
        using var store = Open();
        await AppendAsync(store, 2);
        var part = (Content(layout.IndexFile), Content(layout.Segment(0)));
        await AppendAsync(store, 2);
        Delete();
        Create(layout.Segment(0), part.Item2);
        Create(layout.IndexFile, part.Item1);

        clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(4, await store.GetHeadAsync());
        Assert.Equal(4, await store.ReadAsync(Query.All).CountAsync());

        using (var other = Open())
            await AppendAsync(other, 1);
        clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(5, await store.GetHeadAsync());
        Check();
    }

    public void Dispose() => outside.Dispose();

    private FileSystemEventStore Open() => FileSystemEventStore.Open(new OpossumOptions { Path = Root, TimeProvider = clock }, disk.Attach(), Root);

    private static async Task AppendAsync(FileSystemEventStore store, int count)
    {
        for (var at = 0; at < count; at++)
            await store.AppendAsync([NewEvent.FromJson("happened", "{}", new Tag("at", $"{at}"))]);
    }

    private void Delete()
    {
        outside.Delete(layout.IndexFile);
        outside.Delete(layout.Segment(0));
    }

    private byte[] Content(string path)
    {
        using var file = outside.Open(path, FileOpening.Read)!;
        var content = new byte[file.GetLength()];
        file.Read(content, 0);
        return content;
    }

    private void Create(string path, byte[] content)
    {
        using var file = outside.CreateNew(path)!;
        file.Write(content, 0);
    }

    private void Check()
    {
        var report = StoreCheck.Run(outside, Root);
        Assert.True(report.IsClean, report.ToString());
    }
}
