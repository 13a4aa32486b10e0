using Opossum.FileSystem;
using Opossum.FileSystem.Simulated;
using Opossum.Storage;

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
    public async Task Nothing_vanishes_for_a_reader_while_another_builds_the_index_again()
    {
        using var store = Open();
        await AppendAsync(store, 2);
        var part = (Content(layout.IndexFile), Content(layout.PackedFile));
        await AppendAsync(store, 2);
        Delete();
        Create(layout.PackedFile, part.Item2);
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
        outside.Delete(layout.PackedFile);
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
