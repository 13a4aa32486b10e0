using System.Text;
using GitHistory;
using Opossum.Testing;

namespace Opossum.Tests.Samples;

/// <summary>The sample GitHistory: how it reads git's log, and that it imports each commit once.</summary>
public sealed class GitHistoryTests
{
    private const string First = "1111111111111111111111111111111111111111";
    private const string Second = "2222222222222222222222222222222222222222";

    [Theory]
    [InlineData("nl\nname")]
    [InlineData("\nat the start")]
    [InlineData("tab\tquote\"back\\slash")]
    [InlineData(":100644 looks like a change")]
    [InlineData("1111111111111111111111111111111111111111")]
    [InlineData(" ünïcödé 日本 😀 ")]
    public async Task A_path_is_read_as_it_is(string path)
    {
        var commits = await ReadAsync(Header(First), $"\n:100644 100644 aaaaaaa bbbbbbb M\0{path}\0", Header(Second));

        Assert.Equal([new FileChange("M", path)], commits[0].Changes);
        Assert.Equal(Second, commits[1].Sha);
    }

    [Fact]
    public async Task Paths_that_are_not_utf8_stay_distinct()
    {
        var commits =
            await ReadAsync(Header(First), "\n:000000 100644 0000000 bbbbbbb A\0", new byte[] { (byte)'a', 0xff, 0 },
                ":000000 100644 0000000 bbbbbbb A\0", new byte[] { (byte)'a', 0xfe, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0 });

        Assert.Equal([@"a\377", @"a\376é\355\240\200"], commits[0].Changes.Select(change => change.Path));
    }

    [Fact]
    public async Task Renames_have_two_paths_and_merges_one()
    {
        var commits = await ReadAsync(
            Header(First), "\n:100644 100644 aaaaaaa bbbbbbb R087\0old\0new\0:160000 000000 aaaaaaa 0000000 D\0module\0",
            Header(Second), "\0::100644 100644 100644 aaaaaaa bbbbbbb ccccccc RM\0both\0");

        Assert.Equal([new FileChange("R", "new", "old"), new FileChange("D", "module")], commits[0].Changes);
        Assert.Equal([new FileChange("R", "both")], commits[1].Changes);
        Assert.Equal(["new", "old", "module"], commits[0].FileTags);
    }

    [Theory]
    [InlineData("", "")]
    [InlineData("\n", "")]
    [InlineData("subject\n\nbody\n\n", "subject\n\nbody")]
    [InlineData(":100644 100644 aaaaaaa bbbbbbb M\n", ":100644 100644 aaaaaaa bbbbbbb M")]
    [InlineData("1111111111111111111111111111111111111111\n", "1111111111111111111111111111111111111111")]
    public async Task A_message_may_be_anything(string written, string read)
    {
        var commits = await ReadAsync(Header(First, message: written), "\0", Header(Second));

        Assert.Equal(read, commits[0].Message);
        Assert.Empty(commits[0].Changes);
        Assert.Equal(Second, commits[1].Sha);
    }

    [Fact]
    public async Task A_message_that_is_not_utf8_is_read_with_replacement_characters()
    {
        var commits = await ReadAsync($"{First}\0\0N\0e\01\0caf", new byte[] { 0xe9, 0xed, 0xa0, 0x80, 0 });

        Assert.Equal("caf����", commits[0].Message);
    }

    [Theory]
    [InlineData("", "", new string[0])]
    [InlineData("Ada", "", new[] { "Ada" })]
    [InlineData("", "ada@example.org", new[] { "ada@example.org" })]
    [InlineData("Ada: L.", "ada@example.org", new[] { "Ada: L.", "ada@example.org" })]
    public async Task An_author_is_found_by_what_there_is_of_name_and_email(string name, string email, string[] tags)
    {
        var commits = await ReadAsync(Header(First, name: name, email: email));

        Assert.Equal(tags, commits[0].AuthorTags);
    }

    [Theory]
    [InlineData("1795265052", "2026-11-21T12:44:12Z")]
    [InlineData("-5", "1969-12-31T23:59:55Z")]
    [InlineData("99999999999999", null)]
    [InlineData("", null)]
    public async Task A_date_that_makes_no_sense_is_none(string written, string? read)
    {
        var commits = await ReadAsync(Header(First, date: written));

        Assert.Equal(read is null ? null : DateTimeOffset.Parse(read), commits[0].AuthoredAt);
    }

    [Fact]
    public async Task Output_that_ends_in_the_middle_is_an_error()
    {
        await Assert.ThrowsAsync<GitException>(() => ReadAsync($"{First}\0\0N\0e\0"));
        await Assert.ThrowsAsync<GitException>(() => ReadAsync(Header(First), "\n:100644 100644 aaaaaaa bbbbbbb M\0"));
        await Assert.ThrowsAsync<GitException>(() => ReadAsync(Header(First), "no commit\0"));
        Assert.Empty(await ReadAsync(""));
    }

    [Theory]
    [InlineData("")]
    [InlineData("x")]
    public void Texts_too_long_for_a_tag_are_cut_to_tags_that_stay_distinct(string start)
    {
        // Pairs of surrogates, at odd and at even places: none may be cut in two.
        var texts = new[] { "a", "b" }.Select(end => start + string.Concat(Enumerable.Repeat("😀", Tag.MaxValueLength)) + end);

        var tags = texts.Select(text => new Tag("file", TagText.Of(text)));

        Assert.Equal(2, tags.Distinct().Count());
    }

    [Fact]
    public async Task Imports_at_the_same_time_add_each_commit_once_and_in_order()
    {
        var options = new OpossumOptions();
        options.EventTypes.Add<CommitImported>();
        await using var store = InMemoryEventStore.Open(options);
        var shas = Enumerable.Range(1, 1_700).Select(number => number.ToString("x40")).ToArray();

        // One of them begins in the middle, so that batches overlap.
        var imports =
            new[] { 0, 250, 0,
                900 }.Select(skip =>
                    Task.Run(() => new Importer(store).ImportAsync(Commits(shas[skip..]), _ => { }, TestContext.Current.CancellationToken)));
        var results = await Task.WhenAll(imports);

        var stored = new List<string>();
        await foreach (var e in store.ReadAsync(Query.All))
            stored.Add(((CommitImported)e.Data!).Sha);
        Assert.Equal(shas, stored.Order(StringComparer.Ordinal));
        Assert.Equal(shas.Length, results.Sum(result => result.Added));
    }

    private static async IAsyncEnumerable<CommitImported> Commits(string[] shas)
    {
        foreach (var sha in shas)
        {
            foreach (var commit in await ReadAsync(Header(sha)))
                yield return commit;
        }
    }

    private static string Header(string sha, string name = "N", string email = "n@example.org", string date = "1", string message = "m\n") =>
        $"{sha}\0\0{name}\0{email}\0{date}\0{message}\0";

    private static async Task<List<CommitImported>> ReadAsync(params object[] parts)
    {
        var bytes = parts.SelectMany(part => part as byte[] ?? Encoding.UTF8.GetBytes((string)part)).ToArray();
        var commits = new List<CommitImported>();
        await foreach (var commit in GitLog.ReadAsync(new OneByteStream(bytes)))
            commits.Add(commit);
        return commits;
    }

    /// <summary>Gives one byte a read: no cut may lie anywhere that matters.</summary>
    private sealed class OneByteStream(byte[] bytes) : MemoryStream(bytes)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            base.ReadAsync(buffer[..Math.Min(1, buffer.Length)], cancellationToken);
    }
}
