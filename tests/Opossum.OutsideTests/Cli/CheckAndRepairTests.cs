using Opossum.Cli;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.CliTests;

public sealed class CheckAndRepairTests : StoreTest
{
    [Fact]
    public async Task A_whole_store_is_clean()
    {
        var result = (await Shell.RunAsync("check", Store)).Succeeded();

        Assert.Equal("Nothing wrong in 4 events.\n", result.Out);
    }

    [Fact]
    public async Task A_backup_and_a_fresh_restore_are_whole_without_an_index()
    {
        var (backup, restored) = (Shell.PathOf("backup"), Shell.PathOf("restored"));
        (await Shell.RunAsync("backup", Store, backup)).Succeeded();
        (await Shell.RunAsync("restore", backup, restored)).Succeeded();
        foreach (var folder in (string[])[backup, restored])
        {
            var result = (await Shell.RunAsync("check", folder)).Succeeded();
            Assert.StartsWith("Nothing wrong in 4 events.", result.Out, StringComparison.Ordinal);
            Assert.Contains("There is no index, as in a backup: the next opening builds it.", result.Out, StringComparison.Ordinal);
        }
        Assert.True((await Shell.RunAsync("check", backup, "--json")).Succeeded().Json.GetProperty("isWithoutIndex").GetBoolean());

        File.Delete(Path.Combine(backup, "Events", "0000000000", "0000000002.json"));
        Assert.Contains(" If this is a backup, do not repair it: run the backup again with --verify-all.\n",
            (await Shell.RunAsync("check", backup)).Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_check_names_the_command_that_repairs_each_fault()
    {
        File.Delete(EventFile(2));

        var result = await Shell.RunAsync("check", Store);
        var json = (await Shell.RunAsync("check", Store, "--json")).Json;

        Assert.Equal(ExitCode.Negative, result.ExitCode);
        Assert.StartsWith("1 fault in 3 events. Whole up to position 1.\n", result.Out, StringComparison.Ordinal);
        Assert.Contains($"  remedy: opossum repair from-index {Store}\n", result.Out, StringComparison.Ordinal);
        var finding = Assert.Single(json.GetProperty("findings").EnumerateArray());
        Assert.Equal("Gap", finding.GetProperty("kind").GetString());
        Assert.Equal("RestoreFromIndex", finding.GetProperty("remedy").GetString());
        Assert.Equal($"opossum repair from-index {Store}", finding.GetProperty("command").GetString());
    }

    [Fact]
    public async Task A_lost_file_comes_back_from_the_index()
    {
        var before = FilesOfStore();
        File.Delete(EventFile(2));

        var planned = (await Shell.RunAsync("repair", "from-index", Store, "--dry-run")).Succeeded();
        Assert.Equal("Would restore the event files of position 2 from the index, and move bad ones to Quarantine.\n", planned.Out);
        Assert.False(File.Exists(EventFile(2)));
        (await Shell.RunAsync("repair", "from-index", Store, "--yes")).Succeeded();

        Assert.Equal(before, FilesOfStore());
    }

    [Fact]
    public async Task Members_are_redacted_with_a_reason()
    {
        string[] redact = ["repair", "redact", Store, "1-2", "4", "--member", "by.name", "--reason", "request of 2026-11-20"];
        var before = FilesOfStore();
        Assert.StartsWith("Would replace by.name in 3 events by null", (await Shell.RunAsync([.. redact, "--dry-run"])).Succeeded().Out,
            StringComparison.Ordinal);
        Assert.Equal(before, FilesOfStore());

        var done = (await Shell.RunAsync([.. redact, "--yes"])).Succeeded();

        Assert.StartsWith("Redacted ", done.Out, StringComparison.Ordinal);
        Assert.Contains("request of 2026-11-20", File.ReadAllText(EventFile(1)), StringComparison.Ordinal);
        Assert.Equal("Nothing to do: no redaction is unfinished.\n", (await Shell.RunAsync("repair", "redact", Store, "--finish")).Succeeded().Out);
        var nothing = (await Shell.RunAsync("repair", "redact", Store, "--finish", "--json")).Succeeded().Json;
        Assert.Equal((0, 0), (nothing.GetProperty("redacted").GetArrayLength(), nothing.GetProperty("unchanged").GetArrayLength()));
    }

    [Theory]
    [InlineData("no positions", "--member", "by.name", "--reason", "r")]
    [InlineData("no member", "1", "--reason", "r")]
    [InlineData("no range", "3-1", "--member", "by.name", "--reason", "r")]
    [InlineData("no number", "x", "--member", "by.name", "--reason", "r")]
    public async Task A_redaction_that_is_not_whole_changes_nothing(string what, params string[] arguments)
    {
        var before = FilesOfStore();

        var result = await Shell.RunAsync(["repair", "redact", Store, .. arguments, "--yes"]);

        Assert.True(result.ExitCode == ExitCode.Usage, what);
        Assert.Contains("Nothing was changed.", result.Error, StringComparison.Ordinal);
        Assert.Equal(before, FilesOfStore());
    }

    [Fact]
    public async Task Without_a_terminal_a_repair_that_was_not_confirmed_is_refused()
    {
        var result = await Shell.RunAsync("repair", "truncate", Store, "--after", "2");

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Contains("Pass --yes to do it, or --dry-run to see what would be done. Nothing was changed.", result.Error, StringComparison.Ordinal);
        Assert.True((await StoreCheck.RunAsync(Store)) is { IsClean: true, Events: 4 });
    }

    [Theory]
    [InlineData("n", (int)ExitCode.Usage, 4)]
    [InlineData("", (int)ExitCode.Usage, 4)]
    [InlineData("y", (int)ExitCode.Ok, 2)]
    public async Task On_a_terminal_it_asks(string answer, int exitCode, int events)
    {
        using var screen = new Shell { IsScreen = true };

        var result = await screen.RunAsync(answer, ["repair", "truncate", Store, "--after", "2"]);

        Assert.Equal(exitCode, (int)result.ExitCode);
        Assert.StartsWith("Cut off all events after position 2, and move them to Quarantine?", result.Error, StringComparison.Ordinal);
        Assert.Equal(events, (await StoreCheck.RunAsync(Store)).Events);
    }

    [Fact]
    public async Task A_cancellation_ends_a_question_and_an_answer_after_it_does_not_count()
    {
        using var output = new StringWriter();
        using var cancellation = new CancellationTokenSource();
        using var late = new LateAnswer(cancellation);
        using var terminal = new Terminal(output, () => output, () => late) { CanAsk = true };
        string[] truncate = ["repair", "truncate", Store, "--after", "2"];

        var exitCode = await Task.Run(() => CommandLine.Run(truncate, terminal, cancellation.Token));
        var isAnswered = late.IsAnswered;
        late.Answer();

        Assert.False(isAnswered);
        Assert.Equal(ExitCode.Cancelled, (ExitCode)exitCode);
        Assert.Equal(4, (await StoreCheck.RunAsync(Store)).Events);
    }

    [Fact]
    public async Task Events_that_were_cut_off_come_back_from_quarantine()
    {
        (await Shell.RunAsync("repair", "truncate", Store, "--after", "2", "--yes")).Succeeded();
        var quarantine = Assert.Single(Directory.GetDirectories(Path.Combine(Store, "Quarantine")));

        var planned = (await Shell.RunAsync("repair", "from-folder", Store, quarantine, "--dry-run")).Succeeded();
        Assert.Contains("holds 2 event files.", planned.Out, StringComparison.Ordinal);
        (await Shell.RunAsync("repair", "from-folder", Store, quarantine)).Succeeded();

        Assert.True((await StoreCheck.RunAsync(Store)) is { IsClean: true, Events: 4 });
    }

    [Fact]
    public async Task A_dry_run_counts_sealed_files_of_a_backup_too()
    {
        var backup = Directory.CreateDirectory(Path.Combine(Path.GetDirectoryName(Store)!, "backup")).FullName;
        await File.WriteAllTextAsync(Path.Combine(backup, "0000000000.jsonl"), "");

        var planned = (await Shell.RunAsync("repair", "from-folder", Store, backup, "--dry-run")).Succeeded();

        Assert.Contains("holds 0 event files and 1 sealed file. Would", planned.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_dry_run_names_an_edited_file_that_comes_back_from_a_folder()
    {
        var (backup, original) = (Shell.PathOf("backup"), await File.ReadAllTextAsync(EventFile(1)));
        (await Shell.RunAsync("backup", Store, backup)).Succeeded();
        await File.WriteAllTextAsync(EventFile(1), original.Replace("Ada", "***"));
        Directory.Delete(Path.Combine(Store, "Index"), recursive: true);
        string[] restore = ["repair", "from-folder", Store, Path.Combine(backup, "Events", "0000000000")];

        var planned = (await Shell.RunAsync([.. restore, "--dry-run"])).Succeeded();
        (await Shell.RunAsync(restore)).Succeeded();

        Assert.EndsWith("The store lacks position 1.\n", planned.Out, StringComparison.Ordinal);
        Assert.Equal(original, await File.ReadAllTextAsync(EventFile(1)));
    }

    [Theory]
    [InlineData("truncate", "--after", "3")]
    [InlineData("truncate", "--after", "5")]
    [InlineData("redact", "1", "99", "--member", "by.name", "--reason", "r")]
    [InlineData("redact", "1", "2", "--member", "by.name", "--member", "by.Name", "--reason", "r")]
    [InlineData("redact", "1", "--member", "by[].name", "--reason", "r")]
    public async Task A_dry_run_refuses_what_the_repair_refuses(string repair, params string[] arguments)
    {
        string[] command = ["repair", repair, Store, .. arguments];

        var planned = await Shell.RunAsync([.. command, "--dry-run"]);
        var refused = await Shell.RunAsync([.. command, "--yes"]);

        Assert.Equal((ExitCode.Failed, ExitCode.Failed), (planned.ExitCode, refused.ExitCode));
        Assert.Equal("", planned.Out);
        Assert.EndsWith("Nothing was changed.\n", planned.Error, StringComparison.Ordinal);
        Assert.StartsWith("Would move all events after position 2 to Quarantine.",
            (await Shell.RunAsync("repair", "truncate", Store, "--after", "2", "--dry-run")).Succeeded().Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("repair index")]
    [InlineData("repair accept-edit", "2")]
    [InlineData("repair accept-edit", "3")]
    [InlineData("repair accept-edit", "9")]
    public async Task A_dry_run_refuses_what_the_repair_refuses_of_damaged_files(string repair, params string[] arguments)
    {
        File.Delete(EventFile(2));
        await File.WriteAllTextAsync(EventFile(3), "{");
        string[] command = [.. repair.Split(' '), Store, .. arguments];

        var planned = await Shell.RunAsync([.. command, "--dry-run"]);
        var refused = await Shell.RunAsync([.. command, "--yes"]);

        Assert.Equal((ExitCode.Failed, ExitCode.Failed, ""), (planned.ExitCode, refused.ExitCode, planned.Out));
        Assert.EndsWith("Nothing was changed.\n", planned.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_path_that_is_none_is_refused_before_the_question()
    {
        string[] command = ["repair", "redact", Store, "1", "--member", "by..name", "--reason", "r"];

        var planned = await Shell.RunAsync([.. command, "--dry-run"]);
        var refused = await Shell.RunAsync(command);

        Assert.Equal((ExitCode.Usage, ""), (planned.ExitCode, planned.Out));
        Assert.Equal((planned.ExitCode, planned.Error), (refused.ExitCode, refused.Error));
        Assert.Contains("by..name", planned.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_dry_run_of_a_truncation_knows_the_events_of_the_journal()
    {
        // No file is written, because the clock stands still.
        var options = new OpossumOptions { Path = Store, UseJournal = true, TimeProvider = new SettableClock(Sales.FirstDay) };
        await using var store = await FileSystemEventStore.OpenAsync(options);
        await store.AppendAsync([Sales.Order("order-placed", "o4", "c1", 7), Sales.Order("order-placed", "o5", "c1", 8)]);

        var planned = await Shell.RunAsync("repair", "truncate", Store, "--after", "6", "--dry-run");
        var inside = await Shell.RunAsync("repair", "truncate", Store, "--after", "5", "--dry-run");

        Assert.False(File.Exists(EventFile(6)));
        Assert.Equal((ExitCode.Ok, ExitCode.Failed), (planned.ExitCode, inside.ExitCode));
    }

    [Fact]
    public async Task An_edit_by_hand_can_be_accepted()
    {
        await File.WriteAllTextAsync(EventFile(1), (await File.ReadAllTextAsync(EventFile(1))).Replace("Ada", "***"));

        (await Shell.RunAsync("repair", "accept-edit", Store, "1", "--yes")).Succeeded();

        Assert.Contains("***", (await Shell.RunAsync("show", Store, "1")).Out, StringComparison.Ordinal);
        Assert.True((await StoreCheck.RunAsync(Store)).IsClean);
    }

    [Theory]
    [InlineData("reindex")]
    [InlineData("repair", "index")]
    [InlineData("repair", "open")]
    public async Task A_lost_index_is_built_again(params string[] command)
    {
        Directory.Delete(Path.Combine(Store, "Index"), recursive: true);

        (await Shell.RunAsync([.. command, Store, "--dry-run"])).Succeeded();
        Assert.False(Directory.Exists(Path.Combine(Store, "Index")));
        (await Shell.RunAsync([.. command, Store])).Succeeded();

        Assert.True((await StoreCheck.RunAsync(Store)).IsClean);
    }

    [Fact]
    public async Task A_repair_that_is_refused_says_so_and_changes_nothing()
    {
        var result = await Shell.RunAsync("repair", "truncate", Store, "--after", "3", "--yes");

        Assert.Equal(ExitCode.Failed, result.ExitCode);
        Assert.Contains("Nothing was changed", result.Error, StringComparison.OrdinalIgnoreCase);
        Assert.True((await StoreCheck.RunAsync(Store)) is { IsClean: true, Events: 4 });
    }

    // Cancels when it is asked, and says yes later.
    private sealed class LateAnswer(CancellationTokenSource cancellation) : TextReader
    {
        private static readonly TimeSpan patience = TimeSpan.FromSeconds(30);

        private readonly ManualResetEventSlim answered = new();

        public bool IsAnswered { get; private set; }

        public void Answer() => answered.Set();

        public override string ReadLine()
        {
            cancellation.Cancel();
            answered.Wait(patience);
            IsAnswered = true;
            return "y";
        }
    }
}
