using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class ReactionsTests : StoreTest
{
    private const int HangMilliseconds = 60_000;

    private string Made => Shell.PathOf("desk");

    [Fact(Timeout = HangMilliseconds)]
    public async Task Store_without_reactions_says_so()
    {
        var listed = await Shell.RunAsync("reactions", "list", Store);
        Assert.Equal("No reactions: no process has started any on this store.\n", listed.Succeeded().Out);
        foreach (var command in (string[][])[["parked", Store, "mails"], ["retry", Store, "mails", "2"], ["again", Store, "mails", "--after", "0", "--yes"]])
        {
            var unknown = await Shell.RunAsync(["reactions", .. command]);
            Assert.Equal(ExitCode.Usage, unknown.ExitCode);
            Assert.Equal("opossum: The store has no reaction mails. It has none. Nothing was changed.\n", unknown.Error);
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Parked_event_is_a_negative_answer_and_is_shown_with_its_attempts()
    {
        await Desk.MakeAsync(Made);

        var listed = await Shell.RunAsync("reactions", "list", Made);
        Assert.Equal(ExitCode.Negative, listed.ExitCode);
        Assert.Equal("""
            name   position  state
            mails         3  up to date; 1 event parked

            """.ReplaceLineEndings("\n"), listed.Out);
        var reaction = (await Shell.RunAsync("reactions", "list", Made, "--json")).Json.GetProperty("reactions")[0];
        Assert.Equal((3, 0), (reaction.GetProperty("head").GetInt64(), reaction.GetProperty("lag").GetInt64()));
        Assert.Equal(2, reaction.GetProperty("parked")[0].GetInt64());

        Assert.Equal("""
            position  type        key  attempts  error
                   2  order-paid  o2          1  System.FormatException: This order has no address.

            """.ReplaceLineEndings("\n"), (await Shell.RunAsync("reactions", "parked", Made, "mails")).Succeeded().Out);
        var shown = (await Shell.RunAsync("reactions", "parked", Made, "mails", "2")).Succeeded().Out;
        Assert.Contains("event     2, order-paid\nkey       o2", shown, StringComparison.Ordinal);
        Assert.Contains("attempt 1, ", shown, StringComparison.Ordinal);
        var parked = (await Shell.RunAsync("reactions", "parked", Made, "mails", "2", "--json")).Succeeded().Json.GetProperty("parked")[0];
        Assert.Equal(1, parked.GetProperty("attempts")[0].GetProperty("number").GetInt32());
        Assert.Equal(ExitCode.Negative, (await Shell.RunAsync("reactions", "parked", Made, "mails", "3")).ExitCode);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Retry_is_a_request_that_the_next_leader_carries_out()
    {
        await Desk.MakeAsync(Made);

        (await Shell.RunAsync("reactions", "retry", Made, "mails", "2", "--dry-run")).Succeeded();
        Assert.DoesNotContain("request", (await Shell.RunAsync("reactions", "list", Made)).Out, StringComparison.Ordinal);
        var wrong = await Shell.RunAsync("reactions", "retry", Made, "mails", "1");
        Assert.Equal(ExitCode.Usage, wrong.ExitCode);
        Assert.EndsWith(" Nothing was changed.\n", wrong.Error, StringComparison.Ordinal);
        (await Shell.RunAsync("reactions", "retry", Made, "mails", "2")).Succeeded();
        Assert.Contains("1 request not carried out yet", (await Shell.RunAsync("reactions", "list", Made)).Out, StringComparison.Ordinal);

        Assert.Equal([2], await Desk.RunAsync(Made, failAt: 0, isDone: static status => status is { Parked: [], Open: 0 }));
        Assert.Contains("up to date\n", (await Shell.RunAsync("reactions", "list", Made)).Succeeded().Out, StringComparison.Ordinal);
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData("retry mails 1")]
    [InlineData("skip mails 3 --reason r")]
    [InlineData("skip mails 2 --reason \t")]
    [InlineData("again mails --after 4")]
    public async Task Request_that_cannot_be_carried_out_is_refused_before_the_question_and_in_a_dry_run(string command)
    {
        await Desk.MakeAsync(Made);
        string[] words = command.Split(' ');
        string[] whole = ["reactions", words[0], Made, .. words[1..]];

        var planned = await Shell.RunAsync([.. whole, "--dry-run"]);
        var asked = await Shell.RunAsync(whole);
        var refused = await Shell.RunAsync([.. whole, "--yes"]);

        Assert.Equal((ExitCode.Usage, ""), (planned.ExitCode, planned.Out));
        Assert.EndsWith(" Nothing was changed.\n", planned.Error, StringComparison.Ordinal);
        Assert.Equal((planned, planned), (asked, refused));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Skip_asks_records_the_reason_and_handles_nothing()
    {
        await Desk.MakeAsync(Made);

        var asked = await Shell.RunAsync("reactions", "skip", Made, "mails", "2", "--reason", "a test");
        Assert.Equal(ExitCode.Usage, asked.ExitCode);
        Assert.Contains("Pass --yes to do it", asked.Error, StringComparison.Ordinal);
        (await Shell.RunAsync("reactions", "skip", Made, "mails", "2", "--reason", "a test", "--yes")).Succeeded();

        Assert.Empty(await Desk.RunAsync(Made, failAt: 0, isDone: static status => status is { Parked: [], Open: 0 }));
        Assert.Contains("up to date; 1 event skipped\n", (await Shell.RunAsync("reactions", "list", Made)).Succeeded().Out, StringComparison.Ordinal);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Again_handles_the_events_from_a_position_on()
    {
        await Desk.MakeAsync(Made);

        Assert.Equal(ExitCode.Usage, (await Shell.RunAsync("reactions", "again", Made, "mails", "--after", "8", "--yes")).ExitCode);
        Assert.Equal(ExitCode.Usage, (await Shell.RunAsync("reactions", "again", Made, "mails", "--after", "1")).ExitCode);
        (await Shell.RunAsync("reactions", "again", Made, "mails", "--after", "1", "--yes")).Succeeded();

        var handled = await Desk.RunAsync(Made, failAt: 0, isDone: static status => status is { Parked: [], Open: 0, Position: 3 });
        Assert.Equal([2, 3], handled.Order());
    }
}
