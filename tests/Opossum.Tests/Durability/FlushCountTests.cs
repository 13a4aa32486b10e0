using Opossum.FileSystem.Real;
using Opossum.Storage;
using Opossum.Testing;
using Opossum.Tests.FileSystem;

namespace Opossum.Tests.Durability;

/// <summary>How many flushes a group takes on the operating system's own file system until it is acknowledged.</summary>
public sealed class FlushCountTests : IDisposable
{
    private const int Appends = 50;

    private readonly StorePlace place = StorePlace.InFolderOnDisk();
    private readonly FlushCountingFileSystem fileSystem = new(RealFileSystem.Create());

    [Fact]
    public async Task A_group_takes_one_flush_with_a_journal()
    {
        place.FilesBehind = new FilesBehindSettings();
        // A clock that stands still: event files are not written meanwhile.
        var store = place.Open(fileSystem, options => (options.UseJournal, options.TimeProvider) = (true, new TestClock()));
        // The first append also notes in the lock file that there is a journal.
        await store.AppendAsync(Events.New("a"));
        Task<AppendResult>[] appends = [];
        // They queue while another append is flushed, and become one group.
        fileSystem.BeforeFlush = () =>
        {
            fileSystem.BeforeFlush = null;
            appends = [.. Enumerable.Range(0, Appends).Select(_ => store.AppendAsync(Events.New("a")))];
        };
        var before = fileSystem.Flushed.Count;
        await store.AppendAsync(Events.New("a"));
        await Task.WhenAll(appends);

        // One flush of the append that they waited for, and one of theirs.
        Assert.Equal([place.Layout.Segment(0), place.Layout.Segment(0)], fileSystem.Flushed.Skip(before));
        Assert.Equal(Appends, (await Task.WhenAll(appends)).DistinctBy(static each => each.FirstPosition).Count());
    }

    [Fact]
    public async Task Counting_names_every_flush()
    {
        var store = place.Open(fileSystem);
        var before = fileSystem.Flushed.Count;
        await store.AppendAsync(Events.New("a"));

        Assert.Contains(place.Layout.EventFile(1), fileSystem.Flushed.Skip(before));
    }

    public void Dispose() => place.Dispose();
}
