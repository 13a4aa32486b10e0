using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class ShowTests : StoreTest
{
    [Fact]
    public async Task It_shows_the_event_its_append_and_its_file()
    {
        var result = (await Shell.RunAsync("show", Store, "3")).Succeeded();

        Assert.Contains("type      order-shipped\n", result.Out, StringComparison.Ordinal);
        Assert.Contains("metadata  correlation = o1\n", result.Out, StringComparison.Ordinal);
        Assert.Contains("append    event 1 of 2: positions 3 to 4\n", result.Out, StringComparison.Ordinal);
        Assert.Contains($"file      {EventFile(3)}\n", result.Out, StringComparison.Ordinal);
        Assert.EndsWith("""

            {
              "orderId": "o1",
              "total": 20,
              "by": {
                "name": "Ada"
              }
            }

            """.ReplaceLineEndings("\n"), result.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_last_event_as_json_has_its_commit_and_file()
    {
        var json = (await Shell.RunAsync("show", Store, "last", "--json")).Succeeded().Json;

        Assert.Equal(4, json.GetProperty("position").GetInt64());
        Assert.Equal(EventFile(4), json.GetProperty("file").GetString());
        Assert.Equal((3, 4), (json.GetProperty("commit").GetProperty("first").GetInt64(), json.GetProperty("commit").GetProperty("last").GetInt64()));
    }

    [Fact]
    public async Task An_empty_store_has_no_last_event()
    {
        var empty = Path.Combine(Path.GetDirectoryName(Store)!, "empty");
        (await Shell.RunAsync("new", empty)).Succeeded();

        var result = await Shell.RunAsync("show", empty, "last");

        Assert.Equal(ExitCode.Negative, result.ExitCode);
        Assert.Contains("it is empty", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_event_is_shown_by_its_id()
    {
        var id = (await Shell.RunAsync("show", Store, "3", "--json")).Succeeded().Json.GetProperty("id").GetString()!;
        var other = Guid.CreateVersion7();

        Assert.Equal(3, (await Shell.RunAsync("show", Store, id, "--json")).Succeeded().Json.GetProperty("position").GetInt64());
        Assert.Equal((ExitCode.Negative, $"opossum: No event in {Store} has the id {other}.\n"), await OutcomeOf(other));

        async Task<(ExitCode, string)> OutcomeOf(Guid wanted)
        {
            var result = await Shell.RunAsync("show", Store, $"{wanted}");
            return (result.ExitCode, result.Error);
        }
    }

    [Fact]
    public async Task A_condition_that_is_kept_is_shown()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store, KeepConditions = true }))
            await store.AppendAsync(NewEvent.FromJson("a", "{}"), new AppendCondition(Query.FromTags(new Tag("order", "o9")), After: 4));

        var text = (await Shell.RunAsync("show", Store, "last")).Succeeded().Out;
        var json = (await Shell.RunAsync("show", Store, "last", "--json")).Succeeded().Json.GetProperty("condition");
        var read = (await Shell.RunAsync("read", Store, "--type", "a", "--json")).Succeeded().Json;

        Assert.Contains("condition  no event after 4 matches (order:o9)\n", text, StringComparison.Ordinal);
        Assert.Equal(("order:o9", 4), (json.GetProperty("query")[0].GetProperty("tags")[0].GetString(), json.GetProperty("after").GetInt64()));
        Assert.Equal(4, read.GetProperty("condition").GetProperty("after").GetInt64());
    }

    [Fact]
    public async Task A_position_that_the_store_does_not_have_is_a_negative_answer()
    {
        var result = await Shell.RunAsync("show", Store, "5");

        Assert.Equal(ExitCode.Negative, result.ExitCode);
        Assert.Equal($"opossum: There is no event 5 in {Store}: it ends at position 4.\n", result.Error);
    }

    [Fact]
    public async Task An_event_whose_file_is_lost_is_shown_from_its_copy()
    {
        File.Delete(EventFile(2));

        var result = (await Shell.RunAsync("show", Store, "2")).Succeeded();

        Assert.Contains($"append    unknown: it has no file; opossum check {Store} names the remedy\n", result.Out, StringComparison.Ordinal);
        Assert.Contains("\"orderId\": \"o2\"", result.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_deepest_data_that_an_event_may_have_is_shown_with_its_append()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store }))
            await store.AppendAsync(NewEvent.FromJson("deep", new string('[', 64) + new string(']', 64)));

        var result = (await Shell.RunAsync("show", Store, "last")).Succeeded();

        Assert.Contains("append    this event alone\n", result.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_event_that_has_only_a_line_is_shown_with_its_append_and_the_segment()
    {
        // No file is written, because the clock stands still.
        var options = new OpossumOptions { Path = Store, UseJournal = true, TimeProvider = new SettableClock(Sales.FirstDay) };
        await using var store = await FileSystemEventStore.OpenAsync(options);
        await store.AppendAsync([Sales.Order("order-placed", "o4", "c1", 7), Sales.Order("order-placed", "o5", "c1", 8)]);

        var result = (await Shell.RunAsync("show", Store, "6")).Succeeded();

        Assert.False(File.Exists(EventFile(6)));
        Assert.Contains("append    event 2 of 2: positions 5 to 6\n", result.Out, StringComparison.Ordinal);
        Assert.Contains($"file      {Path.Combine(Store, "Log", "0000000000.jsonl")}\n", result.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("0")]
    [InlineData("first")]
    [InlineData("1.5")]
    public async Task What_is_no_position_is_wrong_usage(string position)
    {
        var result = await Shell.RunAsync("show", Store, position);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Equal($"opossum: {position} is no position and no id. Write a number from 1, the id of an event, or last.\n", result.Error);
    }
}
