using System.Text.Json;
using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class ReadTests : StoreTest
{
    [Theory]
    [InlineData("1 2 3 4")]
    [InlineData("1 2 4", "--type", "order-placed")]
    [InlineData("1 2 3 4", "--type", "order-placed", "--type", "order-shipped")]
    [InlineData("1 3", "--tag", "order:o1")]
    [InlineData("3", "--tag", "order:o1", "--type", "order-shipped", "--tag", "customer:c1")]
    [InlineData("2 3", "--after", "1", "--up-to", "3")]
    [InlineData("3 4", "--last", "2")]
    [InlineData("2", "--last", "1", "--up-to", "2")]
    [InlineData("1 2", "--limit", "2")]
    [InlineData("", "--limit", "0")]
    [InlineData("", "--last", "0")]
    [InlineData("3 4", "--since", "2026-11-21")]
    [InlineData("1", "--until", "2026-11-20T09:59:59")]
    [InlineData("1 2", "--until", "2026-11-20T10:00")]
    [InlineData("2", "--since", "2026-11-20T11:00+01:00", "--until", "2026-11-21")]
    [InlineData("1 2 3", "--where", "total>=20")]
    [InlineData("2", "--where", "total>20")]
    [InlineData("1 2 3 4", "--where", "by.name=Ada")]
    [InlineData("2 4", "--where", "orderId!=o1")]
    [InlineData("1 2 3 4", "--where", "orderId~o")]
    [InlineData("", "--where", "missing!=1")]
    [InlineData("3", "--where", "total=20.0", "--last", "1")]
    [InlineData("1 3", "--where", "total>=20", "--where", "orderId=o1")]
    public async Task Options_select_events(string positions, params string[] options)
    {
        var result = (await Shell.RunAsync(["read", Store, .. options, "--json"])).Succeeded();

        Assert.Equal(positions, string.Join(' ', result.Lines.Select(line => JsonElement.Parse(line).GetProperty("position").GetInt64())));
    }

    [Fact]
    public async Task A_time_ago_counts_from_now()
    {
        using var later = new Shell { TimeProvider = new SettableClock(Sales.FirstDay + TimeSpan.FromHours(26)) };

        var result = (await later.RunAsync("read", Store, "--since", "2h", "--count")).Succeeded();

        Assert.Equal("2\n", result.Out);
    }

    [Fact]
    public async Task As_text_each_event_is_a_line()
    {
        var result = (await Shell.RunAsync("read", Store, "--limit", "1")).Succeeded();

        Assert.Equal("""
            1  2026-11-20 09:00:00Z  order-placed   order:o1 customer:c1  {"orderId":"o1","total":20,"by":{"name":"Ada"}}

            """.ReplaceLineEndings("\n"), result.Out);
    }

    [Fact]
    public async Task On_a_narrow_screen_data_is_not_dropped()
    {
        using var screen = new Shell { IsScreen = true, Width = 80 };

        var result = (await screen.RunAsync("read", Store, "--limit", "1")).Succeeded();

        Assert.Equal("""
            1  2026-11-20 09:00:00Z  order-placed   order:o1 customer:c1
               {"orderId":"o1","total":20,"by":{"name":"Ada"}}

            """.ReplaceLineEndings("\n"), result.Out);
    }

    [Fact]
    public async Task As_json_each_event_has_the_members_of_its_file()
    {
        var result = (await Shell.RunAsync("query", Store, "--limit", "1", "--json")).Succeeded();

        var read = JsonElement.Parse(Assert.Single(result.Lines));
        Assert.Equal(["position", "type", "version", "tags", "timestamp", "id", "metadata", "data"],
            read.EnumerateObject().Select(member => member.Name));
        Assert.Equal("""{"correlation":"o1"}""", read.GetProperty("metadata").GetRawText());
        Assert.Equal("""{"orderId":"o1","total":20,"by":{"name":"Ada"}}""", read.GetProperty("data").GetRawText());
        Assert.Equal("2026-11-20T09:00:00Z", read.GetProperty("timestamp").GetString());
    }

    [Fact]
    public async Task On_a_screen_no_line_is_wider_than_the_screen()
    {
        using var screen = new Shell { IsScreen = true, Width = 50 };

        var result = (await screen.RunAsync("read", Store)).Succeeded();

        Assert.All(result.Lines, line => Assert.InRange(line.Length, 1, 50));
        Assert.EndsWith("…", result.Lines[0], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Text_of_an_event_cannot_control_the_terminal()
    {
        var path = Shell.PathOf("hostile");
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }))
            await store.AppendAsync(NewEvent.FromJson("a\e[2Jb", "{\"text\":\"\u009b2J\u202e\"}", new Tag("k", "\e]0;x\a")));

        var result = (await Shell.RunAsync("read", path)).Succeeded();

        Assert.Contains("""a\u001b[2Jb""", result.Out, StringComparison.Ordinal);
        Assert.Contains("""{"text":"\u009b2J\u202e"}""", result.Out, StringComparison.Ordinal);
        Assert.DoesNotContain(result.Out, each => char.IsControl(each) && each != '\n');
    }

    [Fact]
    public async Task Text_of_an_event_in_an_error_cannot_control_the_terminal()
    {
        var wrong = await Shell.RunAsync("""{"type":"a","data":1,"\u001b[2J":1}""", ["append", Store]);

        Assert.Contains("""no member "\u001b[2J".""", wrong.Error, StringComparison.Ordinal);
        Assert.DoesNotContain(wrong.Error, each => char.IsControl(each) && each != '\n');
    }

    [Theory]
    [InlineData("--since yesterday is not a time. Write a date (2026-11-20)", "--since", "yesterday")]
    [InlineData("--where total is not a condition. Write a member of the data", "--where", "total")]
    [InlineData("The tag's key is empty", "--tag", ":order")]
    [InlineData("--last and --limit cannot be combined", "--last", "1", "--limit", "1")]
    [InlineData("--after -1 is negative", "--after", "-1")]
    public async Task A_wrong_option_is_explained(string message, params string[] options)
    {
        var result = await Shell.RunAsync(["read", Store, .. options]);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.StartsWith($"opossum: {message}", result.Error, StringComparison.Ordinal);
        Assert.Equal("", result.Out);
    }
}
