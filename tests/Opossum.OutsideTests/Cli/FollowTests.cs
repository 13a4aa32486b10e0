using System.Diagnostics;
using System.Text.RegularExpressions;
using Opossum.Cli;
using Opossum.Cli.Commands;
using Opossum.Cli.Terminals;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Folders;

namespace Opossum.CliTests;

public sealed class FollowTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private readonly Shell shell = new();

    private string Store => shell.PathOf("sales");

    private string Replica => shell.PathOf("nas");

    [Fact]
    public async Task A_replica_is_brought_up_to_date_and_promoted()
    {
        await Sales.CreateAsync(Store);

        var first = (await shell.RunAsync("follow", Store, Replica, "--once")).Succeeded();
        var second = (await shell.RunAsync("follow", Store, Replica, "--once", "--json")).Succeeded();
        var info = (await shell.RunAsync("info", Replica)).Succeeded();
        var append = await shell.RunAsync("{}", ["append", Replica, "--type", "order-placed", "--yes"]);
        var planned = (await shell.RunAsync("promote", Replica, "--dry-run")).Succeeded();
        var promoted = (await shell.RunAsync("promote", Replica)).Succeeded();
        var again = await shell.RunAsync("promote", Replica, "--json");

        Assert.Equal($"{Replica} follows {Store} up to position 4; 4 events were copied now.\n", first.Out);
        Assert.Single(second.Lines);
        Assert.Equal((4, 0, 1), (second.Json.GetProperty("head").GetInt64(), second.Json.GetProperty("copied").GetInt64(),
            second.Json.GetProperty("term").GetInt32()));
        Assert.Matches($@"replica   of {Regex.Escape(Store)}, 0 events missing [0-9]+ s ago, [-0-9]+ [:0-9]+Z\n", info.Out);
        Assert.Contains($"{Replica} is a replica of {Store}", append.Error, StringComparison.Ordinal);
        Assert.Equal($"Dry run, nothing was changed. {Replica} would be the store now, in term 2, with all events up to position 4. "
            + $"Nothing would be appended to {Store} any more, if it can be written.\n", planned.Out);
        Assert.StartsWith($"{Replica} is the store now, in term 2, with all events up to position 4. Nothing is appended to {Store} any more.", promoted.Out,
            StringComparison.Ordinal);
        Assert.Equal((ExitCode.NoStore, ExitCode.Failed), (append.ExitCode, again.ExitCode));
    }

    [Fact]
    public async Task A_replica_that_has_not_seen_its_store_for_more_than_a_minute_is_asked_about()
    {
        await Sales.CreateAsync(Store);
        (await shell.RunAsync("follow", Store, Replica, "--once")).Succeeded();
        using var later = new Shell { TimeProvider = new SettableClock(DateTimeOffset.UtcNow + TimeSpan.FromHours(2)) };

        var info = (await later.RunAsync("info", Replica)).Succeeded();

        Assert.Matches($@"replica   of {Regex.Escape(Store)}, 0 events missing 7,2[0-9]+ s ago, [-0-9]+ [:0-9]+Z; not seen since: is it still followed\?\n",
            info.Out);
    }

    [Theory]
    [InlineData("reindex")]
    [InlineData("repair open")]
    [InlineData("repair from-index")]
    [InlineData("repair accept-edit 1")]
    [InlineData("repair truncate --after 2")]
    [InlineData("repair redact 1 --member by.name --reason r")]
    [InlineData("repair redact --finish")]
    [InlineData("forget customer:c7 --reason r")]
    [InlineData("tags remove order-placed customer customer")]
    [InlineData("append --type order-placed")]
    public async Task A_dry_run_refuses_a_change_of_a_replica_as_the_change_does(string command)
    {
        await Sales.CreateAsync(Store);
        (await shell.RunAsync("follow", Store, Replica, "--once")).Succeeded();
        List<string> words = [.. command.Split(' ')];
        words.Insert(words[0] is "repair" or "tags" ? 2 : 1, Replica);

        var planned = await shell.RunAsync("{}", [.. words, "--dry-run"]);
        var refused = await shell.RunAsync("{}", [.. words, "--yes"]);

        Assert.Equal((ExitCode.NoStore, ""), (planned.ExitCode, planned.Out));
        Assert.Equal((planned.ExitCode, planned.Out, planned.Error), (refused.ExitCode, refused.Out, refused.Error));
        Assert.Contains($"{Replica} is a replica of {Store}", planned.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Events_that_only_the_former_store_has_are_exported()
    {
        await Sales.CreateAsync(Store);
        (await shell.RunAsync("follow", Store, Replica, "--once")).Succeeded();
        await using (var former = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store }))
            await former.AppendAsync([NewEvent.FromJson("late", "{}"), NewEvent.FromJson("late", "{}")]);
        (await shell.RunAsync("promote", Replica, "--yes")).Succeeded();
        var file = shell.PathOf("only-here.jsonl");

        var refused = await shell.RunAsync("follow", Store, Replica, "--once", "--export", file);

        Assert.Equal(ExitCode.Failed, refused.ExitCode);
        Assert.Contains($"Only {Store} has the events of positions 5 to 6", refused.Error, StringComparison.Ordinal);
        Assert.StartsWith($"{file} has what only {Store} has: 2 events were exported", refused.Error, StringComparison.Ordinal);
        Assert.Equal("", refused.Out);
        Assert.Equal(2, File.ReadAllLines(file).Length);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_store_that_can_be_read_and_has_more_events_is_not_closed_without_a_question(bool isFollowedThrough)
    {
        await Sales.CreateAsync(Store);
        var between = isFollowedThrough ? shell.PathOf("between") : Store;
        if (isFollowedThrough)
            (await shell.RunAsync("follow", Store, between, "--once")).Succeeded();
        (await shell.RunAsync("follow", between, Replica, "--once")).Succeeded();
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store });
        await store.AppendAsync(NewEvent.FromJson("late", "{}"));

        var refused = await shell.RunAsync("promote", Replica);

        Assert.Equal(ExitCode.Usage, refused.ExitCode);
        Assert.Contains($"Promote {Replica}, which has the events up to position 4? {Store} can be read and has them up to 5", refused.Error,
            StringComparison.Ordinal);
        await store.AppendAsync(NewEvent.FromJson("late", "{}"));
    }

    [Fact]
    public async Task A_former_store_that_is_not_known_is_asked_about()
    {
        await Sales.CreateAsync(Store);
        (await shell.RunAsync("follow", Store, Replica, "--once")).Succeeded();
        await File.AppendAllTextAsync(Path.Combine(Replica, "replica.json"), "x", TestContext.Current.CancellationToken);

        var refused = await shell.RunAsync("promote", Replica);
        (await shell.RunAsync("promote", Replica, "--yes")).Succeeded();
        (await shell.RunAsync("{}", ["append", Replica, "--type", "order-placed", "--yes"])).Succeeded();

        Assert.Equal(ExitCode.Usage, refused.ExitCode);
        Assert.StartsWith($"opossum: Promote {Replica}? Its replica.json does not say which folder was the store", refused.Error,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("\n}", "\n}x")]
    [InlineData("\"term\": 1", "\"term\": 0")]
    public async Task A_dry_run_in_a_replica_whose_file_is_damaged_is_refused_as_the_change_is(string written, string damaged)
    {
        await Sales.CreateAsync(Store);
        (await shell.RunAsync("follow", Store, Replica, "--once")).Succeeded();
        var file = Path.Combine(Replica, "replica.json");
        var text = await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync(file, text.Replace(written, damaged, StringComparison.Ordinal), TestContext.Current.CancellationToken);
        Assert.NotEqual(text, await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));

        foreach (var way in new[] { "--yes", "--dry-run" })
            Assert.Contains("damaged replica.json", (await shell.RunAsync("repair", "open", Replica, way)).Error, StringComparison.Ordinal);
        var forgetting = await shell.RunAsync("forget", Replica, "customer:c7", "--reason", "r", "--dry-run");
        Assert.Contains("damaged replica.json", forgetting.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_former_store_of_another_system_is_named_by_the_question()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "there the path of another system has a root too");
        await Sales.CreateAsync(Store);
        (await shell.RunAsync("follow", Store, Replica, "--once")).Succeeded();
        using (var fileSystem = RealFileSystem.Create())
            new ReplicaFile(@"C:\shop", 1).Write(fileSystem, new StoreLayout(Replica));

        var refused = await shell.RunAsync("promote", Replica);

        Assert.Equal(ExitCode.Usage, refused.ExitCode);
        Assert.StartsWith($"opossum: Promote {Replica}? C:\\shop, which it follows, is no path of this system, so that one is not closed",
            refused.Error, StringComparison.Ordinal);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_former_store_that_does_not_answer_is_not_waited_for_and_is_asked_about()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "a file that does not answer is a named pipe of Unix");
        await Sales.CreateAsync(Store);
        (await shell.RunAsync("follow", Store, Replica, "--once")).Succeeded();
        var pipe = Path.Combine(Store, "store.json");
        File.Delete(pipe);
        using (var made = Process.Start("mkfifo", pipe))
            await made.WaitForExitAsync(TestContext.Current.CancellationToken);
        using var hurried = new Shell { TimeProvider = new HurriedClock() };

        var refused = await hurried.RunAsync("promote", Replica);
        // Ends the reading of it.
        new FileStream(pipe, FileMode.Open, FileAccess.Write, FileShare.ReadWrite).Dispose();

        Assert.Equal(ExitCode.Usage, refused.ExitCode);
        Assert.StartsWith($"opossum: Promote {Replica}? {Store} does not answer", refused.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_former_store_that_cannot_be_read_is_asked_about(bool isWithoutId)
    {
        await Sales.CreateAsync(Store);
        (await shell.RunAsync("follow", Store, Replica, "--once")).Succeeded();
        if (isWithoutId)
        {
            await File.WriteAllTextAsync(Path.Combine(Store, "store.json"), "", TestContext.Current.CancellationToken);
        }
        else
        {
            Directory.Delete(Path.Combine(Store, "Events"), recursive: true);
            await File.WriteAllTextAsync(Path.Combine(Store, "Events"), "", TestContext.Current.CancellationToken);
        }

        var refused = await shell.RunAsync("promote", Replica);

        Assert.Equal(ExitCode.Usage, refused.ExitCode);
        Assert.StartsWith($"opossum: Promote {Replica}? {Store} cannot be read, so it may have later events", refused.Error,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_file_that_exists_is_refused_before_the_former_store_is_closed()
    {
        await ForkAsync();
        var file = shell.PathOf("only-here.jsonl");
        await File.WriteAllTextAsync(file, "");

        var refused = await shell.RunAsync("follow", Store, Replica, "--once", "--export", file);

        Assert.Equal(ExitCode.Usage, refused.ExitCode);
        Assert.Contains($"{file} exists already", refused.Error, StringComparison.Ordinal);
        await using var open = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store });
        await open.AppendAsync(NewEvent.FromJson("late", "{}"));
    }

    [Fact]
    public async Task An_export_that_fails_does_not_hide_that_the_former_store_was_closed()
    {
        await ForkAsync();
        var file = shell.PathOf("none/only-here.jsonl");

        var refused = await shell.RunAsync("follow", Store, Replica, "--once", "--export", file);

        Assert.Equal(ExitCode.Failed, refused.ExitCode);
        Assert.StartsWith($"opossum: {file} was not written: ", refused.Error, StringComparison.Ordinal);
        Assert.Contains($"Nothing is appended to {Store} any more.", refused.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Following_ends_with_an_interruption()
    {
        await Sales.CreateAsync(Store);
        using var interruption = new CancellationTokenSource();
        var following = shell.RunAsync("", ["follow", Store, Replica], interruption.Token);
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store });
        await store.AppendAsync([NewEvent.FromJson("late", "{}")]);
        while (!Directory.Exists(Replica) || await HeadAsync() < 5)
            await Task.Yield();

        await interruption.CancelAsync();
        var ended = await following;

        Assert.Equal(ExitCode.Cancelled, ended.ExitCode);
        Assert.Equal("Ended. The replica has what was copied; the same command continues from there.\n", ended.Error);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_store_that_is_away_when_the_following_begins_is_waited_for_and_a_folder_that_is_none_is_not_filled()
    {
        await Sales.CreateAsync(Store);
        var (away, aside) = (shell.PathOf("away"), shell.PathOf("aside"));
        using var interruption = new CancellationTokenSource();
        Action[] afterLine =
        [
            () => Directory.Move(Store, away),
            () =>
            {
                Directory.Move(away, Store);
                Directory.Move(Replica, aside);
                Directory.CreateDirectory(Replica);
            },
            () =>
            {
                Assert.Empty(Directory.EnumerateFileSystemEntries(Replica));
                Directory.Delete(Replica);
                Directory.Move(aside, Replica);
            },
            interruption.Cancel,
        ];
        using var output = new WatchedWriter(line => afterLine[line]());
        using var terminal = new Terminal(output, static () => TextWriter.Null, static () => TextReader.Null) { TimeProvider = new HurriedClock() };

        var exitCode = await Task.Run(() => CommandLine.Run(["follow", Store, Replica], terminal, interruption.Token));

        Assert.Equal((int)ExitCode.Cancelled, exitCode);
        var lines = output.ToString().Split('\n');
        Assert.Contains(Store, lines[1], StringComparison.Ordinal);
        Assert.Contains($"{Replica} is no longer there", lines[2], StringComparison.Ordinal);
        Assert.Equal($"{Replica} follows {Store} up to position 4; 0 events were copied now.", lines[3]);
    }

    [Fact]
    public void What_is_copied_is_shown_every_ten_seconds_and_a_problem_at_once()
    {
        var clock = new SettableClock(DateTimeOffset.UnixEpoch);
        var shown = new List<(long Copied, long Mended, string? Problem)>();
        var news = new FollowCommand.News(each => shown.Add((each.Copied, each.Mended, each.Problem)), clock);

        Report(after: 0, copied: 0);
        Report(after: 1, copied: 2);
        Report(after: 9, copied: 3);
        Report(after: 0, copied: 0);
        Report(after: 1, copied: 1);
        Report(after: 60, copied: 0);
        Report(after: 0, copied: 0, problem: "away");
        Report(after: 60, copied: 0, problem: "away");
        Report(after: 0, copied: 4);

        Assert.Equal([(2, 0, null), (4, 0, null), (0, 0, "away"), (4, 0, null)], shown);

        void Report(int after, long copied, string? problem = null)
        {
            clock.Now += TimeSpan.FromSeconds(after);
            news.Report(new ReplicaReport
            {
                Replica = Replica,
                Source = Store,
                StoreId = Guid.Empty,
                Term = 1,
                Head = 1,
                SourceHead = 1,
                Copied = copied,
                Mended = 0,
                At = clock.Now,
                Problem = problem,
            });
        }
    }

    public void Dispose() => shell.Dispose();

    // The replica is promoted while the store cannot be reached, and the store gets one more event.
    private async Task ForkAsync()
    {
        await Sales.CreateAsync(Store);
        (await shell.RunAsync("follow", Store, Replica, "--once")).Succeeded();
        Directory.Move(Store, shell.PathOf("away"));
        (await shell.RunAsync("promote", Replica)).Succeeded();
        Directory.Move(shell.PathOf("away"), Store);
        await using var former = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store });
        await former.AppendAsync(NewEvent.FromJson("late", "{}"));
    }

    private async Task<long> HeadAsync()
    {
        try
        {
            await using var replica = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Replica, ReadOnly = true });
            return await replica.GetHeadAsync();
        }
        catch (StoreOpenException)
        {
            return 0;
        }
    }

    private sealed class WatchedWriter(Action<int> afterLine) : StringWriter
    {
        private int lines;

        public override string NewLine => "\n";

        public override void Flush()
        {
            while (lines < ToString().Count(static each => each == '\n'))
                afterLine(lines++);
        }
    }

    // Every timer fires at once.
    private sealed class HurriedClock : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            base.CreateTimer(callback, state, TimeSpan.Zero, period);
    }
}
