using Opossum.Maintenance;
using static Opossum.Tests.Events;

namespace Opossum.Tests.FileSystem;

/// <summary>
/// Symbolic links inside a store: what lies behind them is never written, and they are refused by name. The store itself may lie behind
/// one.
/// </summary>
public sealed class LinkTests : IDisposable
{
    private readonly StorePlace place = StorePlace.InFolder();

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task A_store_behind_a_link_is_a_store()
    {
        var link = place.Root + "-link";
        Directory.CreateDirectory(place.Root);
        TestLink.ToFolder(link, place.Root);
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = link }))
            await store.AppendAsync(Many(3));
        await using (var reader = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = link, ReadOnly = true }))
            Assert.Equal(3, await reader.GetHeadAsync(TestContext.Current.CancellationToken));
        Assert.True((await StoreCheck.RunAsync(link, cancellationToken: TestContext.Current.CancellationToken)).IsClean);
    }

    [Theory]
    [InlineData(".store.lock")]
    [InlineData("store.json")]
    [InlineData("Index/types-and-tags.idx")]
    [InlineData("Log/0000000000.jsonl")]
    [InlineData("Events/0000000000/0000000003.json")]
    public async Task A_link_in_the_place_of_a_file_is_refused_and_what_it_leads_to_stays_untouched(string name)
    {
        await FillAsync();
        var outside = Path.Combine(place.Root + "-outside");
        File.Move(Path.Combine(place.Root, name), outside);
        TestLink.ToFile(Path.Combine(place.Root, name), outside);
        var before = await File.ReadAllBytesAsync(outside, TestContext.Current.CancellationToken);

        AssertRefused(name);
        Assert.Equal(before, await File.ReadAllBytesAsync(outside, TestContext.Current.CancellationToken));
        File.Delete(outside);
        Assert.False(File.Exists(outside));
        AssertRefused(name);
        Assert.False(File.Exists(outside));
    }

    [Theory]
    [InlineData("Events")]
    [InlineData("Index")]
    [InlineData("Quarantine")]
    [InlineData("Events/0000000000")]
    public async Task A_link_in_the_place_of_a_folder_is_refused(string name)
    {
        await FillAsync();
        var outside = place.Root + "-outside";
        Directory.CreateDirectory(Path.Combine(place.Root, "Quarantine"));
        Directory.Move(Path.Combine(place.Root, name), outside);
        TestLink.ToFolder(Path.Combine(place.Root, name), outside);
        var before = Directory.GetFileSystemEntries(outside, "*", SearchOption.AllDirectories);

        AssertRefused(name);
        Assert.Throws<StoreOpenException>(place.Check);
        Assert.Equal(before, Directory.GetFileSystemEntries(outside, "*", SearchOption.AllDirectories));
    }

    [Theory]
    [InlineData("Events")]
    [InlineData("Index")]
    [InlineData("Log")]
    [InlineData("Events/0000000000")]
    public async Task A_volume_that_is_mounted_in_the_place_of_a_folder_is_refused(string name)
    {
        await FillAsync();
        using (new RealMount("none", "bind", Directory.CreateDirectory(place.Root + "-outside").FullName, Path.Combine(place.Root, name)))
            AssertRefused(name);
        place.AssertClean();
    }

    [Fact]
    public async Task A_link_in_the_middle_of_the_event_files_is_named_by_the_check_and_no_read_follows_it()
    {
        await FillAsync();
        var file = place.Layout.EventFile(2);
        File.Move(file, file + ".aside");
        TestLink.ToFile(file, file + ".aside");

        Assert.Contains(place.Check().Findings, each =>
            each.Kind == FindingKind.BadEventFile && each.Message == $"{file} is a symbolic link or a mounted volume");
        Assert.Equal([1, 2, 3], await place.Open().PositionsAsync());
        place.CloseStores();
        Directory.Delete(place.Layout.Index, recursive: true);
        Assert.Contains("is a symbolic link", Assert.Throws<StoreDamagedException>(() => place.Open()).Message, StringComparison.Ordinal);
    }

    // No opening lists the older folders.
    [Fact]
    public async Task A_link_in_the_place_of_an_older_folder_of_events_is_refused_when_a_file_in_it_is_read()
    {
        using var place = StorePlace.InFolder(shardPositions: 2);
        for (var at = 0; at < 6; at++)
            await place.Open().AppendAsync([New("t", $"k:{at}")]);
        place.CloseStores();
        var (folder, outside) = (place.Layout.ShardFolder(2), place.Root + "-outside");
        Directory.Move(folder, outside);
        TestLink.ToFolder(folder, outside);

        Assert.Contains(folder, Assert.Throws<StoreOpenException>(place.Check).Message, StringComparison.Ordinal);
        place.Patch(place.Layout.Segment(2), 0, new byte[40]);
        foreach (var readOnly in (bool[])[false, true])
        {
            var store = place.Open(options => options.ReadOnly = readOnly);
            var error = await Assert.ThrowsAsync<StoreDamagedException>(() => store.ReadAllAsync());
            Assert.Contains($"is in {folder}, which is a symbolic link", error.Message, StringComparison.Ordinal);
            place.CloseStores();
        }
        File.Delete(place.Layout.IndexFile);
        foreach (var readOnly in (bool[])[false, true])
        {
            var error = Assert.ThrowsAny<EventStoreException>(() => place.Open(options => options.ReadOnly = readOnly));
            Assert.Contains(folder, error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_staging_file_that_is_a_link_is_removed_and_not_written_through()
    {
        var outside = place.Root + "-outside";
        await File.WriteAllTextAsync(outside, "mine", TestContext.Current.CancellationToken);
        Directory.CreateDirectory(place.Root);
        TestLink.ToFile(place.Layout.StoreFileStaging, outside);

        await FillAsync();
        Assert.Equal("mine", await File.ReadAllTextAsync(outside, TestContext.Current.CancellationToken));
        place.AssertClean();
    }

    private void AssertRefused(string name)
    {
        foreach (var readOnly in (bool[])[false, true])
        {
            var error = Assert.ThrowsAny<EventStoreException>(() => place.Open(options => options.ReadOnly = readOnly));
            Assert.Contains(Path.Combine(place.Root, name), error.Message, StringComparison.Ordinal);
            Assert.Contains("symbolic link", error.Message, StringComparison.Ordinal);
        }
    }

    private async Task FillAsync()
    {
        for (var at = 0; at < 3; at++)
            await place.Open().AppendAsync([New("t", $"k:{at}")]);
        place.CloseStores();
    }
}
