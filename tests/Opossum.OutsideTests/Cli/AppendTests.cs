using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class AppendTests : StoreTest
{
    [Fact]
    public async Task Data_from_the_standard_input_becomes_an_event()
    {
        var result = (await AppendAsync("""{"orderId":"o9"}""", "--type", "order-placed", "--tag", "order:o9", "--meta", "by=me=you")).Succeeded();

        Assert.Equal("Appended 1 event at position 5.\n", result.Out);
        var appended = (await Shell.RunAsync("show", Store, "5", "--json")).Json;
        Assert.Equal("order-placed", appended.GetProperty("type").GetString());
        Assert.Equal("order:o9", Assert.Single(appended.GetProperty("tags").EnumerateArray()).GetString());
        Assert.Equal("me=you", appended.GetProperty("metadata").GetProperty("by").GetString());
    }

    [Fact]
    public async Task Lines_of_a_file_become_one_append()
    {
        var file = Shell.PathOf("orders.jsonl");
        await File.WriteAllTextAsync(file, "\uFEFF" + """
            {"type":"a","data":1}
            {"type":"b","version":2,"tags":["k:v"],"metadata":{"m":"1"},"data":null}
            """);

        var json = (await Shell.RunAsync("append", Store, file, "--json", "--tag", "all:x")).Succeeded().Json;

        Assert.Equal((5, 6), (json.GetProperty("firstPosition").GetInt64(), json.GetProperty("lastPosition").GetInt64()));
        var last = (await Shell.RunAsync("show", Store, "6", "--json")).Json;
        Assert.Equal((5, 6), (last.GetProperty("commit").GetProperty("first").GetInt64(), last.GetProperty("commit").GetProperty("last").GetInt64()));
        Assert.Equal(2, last.GetProperty("version").GetInt32());
        Assert.Equal(["k:v", "all:x"], last.GetProperty("tags").EnumerateArray().Select(each => each.GetString()));
    }

    [Fact]
    public async Task Data_gets_the_version_of_the_type_s_last_event()
    {
        (await AppendAsync("1", "--type", "a")).Succeeded();
        (await AppendAsync("""{"type":"a","version":3,"data":2}""")).Succeeded();
        (await AppendAsync("3", "--type", "a", "--tag", "k:v", "--meta", "m=1")).Succeeded();

        var versions = new List<int>();
        foreach (var position in (string[])["5", "6", "7"])
            versions.Add((await Shell.RunAsync("show", Store, position, "--json")).Json.GetProperty("version").GetInt32());
        Assert.Equal([1, 3, 3], versions);
        var last = (await Shell.RunAsync("show", Store, "7", "--json")).Json;
        Assert.Equal(("k:v", "1"), (last.GetProperty("tags")[0].GetString(), last.GetProperty("metadata").GetProperty("m").GetString()));
    }

    [Fact]
    public async Task Data_is_as_deep_as_an_event_may_have_it()
    {
        var (deepest, deeper) = (Nested(64), Nested(65));

        (await AppendAsync(deepest, "--type", "a")).Succeeded();
        (await AppendAsync($$"""{"type":"a","data":{{deepest}}}""")).Succeeded();
        foreach (var dry in new string[][] { ["--dry-run"], [] })
        {
            var refused = await AppendAsync($$"""{"type":"a","data":{{deeper}}}""", dry);

            Assert.Equal(ExitCode.Usage, refused.ExitCode);
            Assert.Contains("line 1, event 1: ", refused.Error, StringComparison.Ordinal);
        }

        static string Nested(int levels) => new string('[', levels) + new string(']', levels);
    }

    [Theory]
    [InlineData((int)ExitCode.Ok, "--unless-tag", "order:o9")]
    [InlineData((int)ExitCode.Negative, "--unless-tag", "order:o1")]
    [InlineData((int)ExitCode.Ok, "--unless-tag", "order:o1", "--after", "3")]
    [InlineData((int)ExitCode.Negative, "--unless-type", "order-placed", "--after", "3")]
    [InlineData((int)ExitCode.Ok, "--after", "4")]
    [InlineData((int)ExitCode.Negative, "--after", "3")]
    public async Task A_condition_guards_the_append_also_in_a_dry_run(int exitCode, params string[] condition)
    {
        var tried = await AppendAsync("{}", ["--type", "a", .. condition, "--dry-run"]);
        Assert.Equal(exitCode, (int)tried.ExitCode);
        Assert.Equal(4, await HeadAsync());

        var done = await AppendAsync("{}", ["--type", "a", .. condition]);

        Assert.Equal(exitCode, (int)done.ExitCode);
        Assert.Equal(exitCode == 0 ? 5 : 4, await HeadAsync());
    }

    [Theory]
    [InlineData("{}\n{\"a\":", "line 2, event 2: ", "--type", "a")]
    [InlineData("{\"type\":\"a\",\"data\":{}}\n[1]", "line 2, event 2: This is no object with type and data.")]
    [InlineData("{\"type\":\"a\",\"data\":{},\"id\":\"x\"}", "line 1, event 1: The store gives each event its id")]
    [InlineData("{\"type\":\"a\",\"data\":{},\"tag\":\"x:y\"}", "line 1, event 1: An event has no member \"tag\".")]
    [InlineData("{\"type\":\"a\"}", "line 1, event 1: The event has no type or no data.")]
    [InlineData("{\"type\":\"a\",\"tags\":[\":x\"],\"data\":1}", "line 1, event 1: The tag's key is empty; a tag has a key, such as featured, or a key and a value, such as course:c1.")]
    [InlineData("{}", "--meta x is not written key=value.", "--type", "a", "--meta", "x")]
    [InlineData("", "The standard input holds no event.", "--type", "a")]
    [InlineData("{}", "The tag key \"$x\" begins with '$'", "--type", "a", "--tag", "$x:y")]
    [InlineData("{}", "\"opossum forget\" appends one", "--type", "opossum.person-forgotten", "--tag", "customer:c1")]
    [InlineData("{\"type\":\"a\",\"tags\":[\"$x:y\"],\"data\":1}", "line 1, event 1: The tag key \"$x\" begins with '$'")]
    public async Task Wrong_input_is_explained_and_nothing_is_appended(string input, string message, params string[] options)
    {
        foreach (var dry in new string[][] { ["--dry-run"], [] })
        {
            var result = await AppendAsync(input, [.. options, .. dry]);

            Assert.Contains(message, result.Error, StringComparison.Ordinal);
            Assert.Equal(ExitCode.Usage, result.ExitCode);
        }
        Assert.Equal(4, await HeadAsync());
    }

    [Fact]
    public async Task A_file_that_does_not_exist_is_wrong_usage()
    {
        var result = await Shell.RunAsync("append", Store, Shell.PathOf("none.json"), "--type", "a");

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Contains("none.json does not exist.", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task It_never_creates_a_store()
    {
        var result = await Shell.RunAsync("{}", ["append", Shell.PathOf("missing"), "--type", "a", "--yes"]);

        Assert.Equal(ExitCode.NoStore, result.ExitCode);
        Assert.False(Directory.Exists(Shell.PathOf("missing")));
    }

    [Fact]
    public async Task A_replica_is_refused_also_in_a_dry_run()
    {
        var replica = Shell.PathOf("nas");
        (await Shell.RunAsync("follow", Store, replica, "--once")).Succeeded();

        foreach (var dry in new string[][] { ["--dry-run"], [] })
        {
            var refused = await Shell.RunAsync("{}", ["append", replica, "--type", "a", .. dry]);

            Assert.Equal(ExitCode.NoStore, refused.ExitCode);
            Assert.Contains($"{replica} is a replica of {Store}", refused.Error, StringComparison.Ordinal);
        }
    }

    private Task<ShellResult> AppendAsync(string input, params string[] options) => Shell.RunAsync(input, ["append", Store, .. options]);

    private async Task<long> HeadAsync() => (await Shell.RunAsync("info", Store, "--json")).Json.GetProperty("head").GetInt64();
}
