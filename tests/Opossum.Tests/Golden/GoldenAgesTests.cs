using System.Text;
using Opossum.Maintenance;
using Opossum.Storage.Folders;

namespace Opossum.Tests.Golden;

/// <summary>Holds today's library against a store with a sealed folder, runs and a journal, as they were written when its format was new.</summary>
public sealed class GoldenAgesTests : IDisposable
{
    private const string EventFile1 = """
        {
          "position": 1,
          "type": "weighed",
          "tags": ["line:1", "box:b0"],
          "timestamp": "2000-01-01T00:00:00.0000000Z",
          "id": "0199e0c1-0000-7000-8000-000000000001",
          "commit": { "first": 1, "last": 60, "after": 0 },
          "data": {
            "count": 1,
            "unit": "Stück"
          },
          "checksum": "crc32c:ae848125"
        }

        """;

    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;
    private readonly StoreLayout store;

    public GoldenAgesTests()
    {
        store = new StoreLayout(Path.Combine(folder, "store"));
        GoldenAges.Extract(1, store.Root);
    }

    [Fact]
    public void Every_format_has_its_golden_store_of_ages() =>
        Assert.All(Enumerable.Range(1, StoreLayout.Format), static format => Assert.True(File.Exists(GoldenAges.ArchiveOf(format))));

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Its_events_are_read_as_they_were_appended(bool isReadOnly)
    {
        await using var opened = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = store.Root, ReadOnly = isReadOnly });
        var expected = 1L;
        await foreach (var e in opened.ReadAsync(Query.All))
        {
            Assert.Equal(expected, e.Position);
            Assert.Equal(GoldenAges.Type(expected), e.Type);
            Assert.Equal(GoldenAges.Json(expected), Encoding.UTF8.GetString(e.Json.Span));
            Assert.Equal(GoldenAges.Tags(expected), e.Tags);
            expected++;
        }
        Assert.Equal(GoldenAges.Head + 1, expected);
        Assert.Equal(!isReadOnly, File.Exists(store.EventFile(GoldenAges.Head)));
    }

    [Fact]
    public async Task Its_events_are_found_by_their_tags_in_all_ages()
    {
        await using var opened = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = store.Root });
        var found = await opened.ReadAsync(Query.FromTags(new Tag("line", "5"))).ToListAsync();

        Assert.Equal(Enumerable.Range(1, GoldenAges.Head).Where(static position => position % 7 == 5).Select(static position => (long)position),
            found.Select(static e => e.Position));
        Assert.Equal(1, found.Count(static e => e.Position > GoldenAges.LastFile));
    }

    [Fact]
    public async Task The_check_finds_nothing_wrong_with_it()
    {
        var report = await StoreCheck.RunAsync(store.Root);

        Assert.True(report.IsClean, report.ToString());
        Assert.Equal(GoldenAges.Head, report.Events);
    }

    [Fact]
    public async Task Unsealing_gives_the_event_files_and_sealing_the_same_file_again()
    {
        LongTests.SkipUnlessAsked();
        var before = await File.ReadAllBytesAsync(store.SealedFile(0));
        await StoreSealing.UnsealAsync(store.Root);

        Assert.False(File.Exists(store.SealedFile(0)));
        Assert.Equal(GoldenAges.LastSealed, Directory.GetFiles(store.ShardFolder(0)).Length);
        Assert.Equal(EventFile1, await File.ReadAllTextAsync(store.EventFile(1)));
        await StoreSealing.SealAsync(store.Root, keepNewestFolders: 1);
        AssertSame(before, await File.ReadAllBytesAsync(store.SealedFile(0)));
    }

    [Fact]
    public async Task The_same_appends_give_the_same_bytes_sealed_and_in_the_index()
    {
        LongTests.SkipUnlessAsked();
        var second = new StoreLayout(Path.Combine(folder, "second"));
        Directory.CreateDirectory(second.Root);
        File.Copy(Path.Combine(store.Root, StoreLayout.StoreFileName), Path.Combine(second.Root, StoreLayout.StoreFileName));
        await GoldenAges.AppendFilesAsync(second.Root);
        var copy = new StoreLayout(Path.Combine(folder, "copy"));
        await GoldenAges.SealAndJournalAsync(second.Root, copy.Root);

        Assert.Equal(Files(store), Files(copy));
        foreach (var name in Files(store))
            AssertSame(await File.ReadAllBytesAsync(Path.Combine(store.Root, name)), await File.ReadAllBytesAsync(Path.Combine(copy.Root, name)));

        // Runs are made in the background, and not of all positions yet; each use of a journal file has an id of its own; locks say who was there.
        static string[] Files(StoreLayout layout) => [.. GoldenEvents.Files(layout.Root)
            .Where(static name => !name.StartsWith(StoreLayout.LogFolderName, StringComparison.Ordinal)
                && !name.EndsWith(StoreLayout.RunFileEnding, StringComparison.Ordinal)
                && !name.EndsWith(".lock", StringComparison.Ordinal))];
    }

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private static void AssertSame(byte[] expected, byte[] actual) => Assert.True(expected.AsSpan().SequenceEqual(actual));
}
