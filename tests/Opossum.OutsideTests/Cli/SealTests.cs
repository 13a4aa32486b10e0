using System.Text.Json;
using Opossum.Cli;
using Opossum.Cli.Commands;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.CliTests;

/// <summary>Sealing and unsealing by commands. Each test seals or unseals what it needs, because they share a store.</summary>
public sealed class SealTests(LongStore sales) : IClassFixture<LongStore>
{
    private readonly Shell shell = sales.Shell;

    private string Store => sales.Path;

    private string FirstSealed => Path.Combine(Store, "Events", "0000000000.jsonl");

    private string SecondSealed => Path.Combine(Store, "Events", "0000010000.jsonl");

    [Fact]
    public async Task Folders_are_sealed_but_the_newest_ones_and_unsealed_again()
    {
        LongTests.SkipUnlessAsked();
        (await shell.RunAsync("unseal", Store)).Succeeded();
        var text = await File.ReadAllTextAsync(EventFile(4711));

        var done = (await shell.RunAsync("seal", Store, "--keep", "1", "--json")).Succeeded().Json;
        Assert.True(File.Exists(FirstSealed) && File.Exists(SecondSealed) && !File.Exists(EventFile(4711)));
        var none = (await shell.RunAsync("unseal", Store, "--after", "19999", "--json")).Succeeded().Json;
        var noneInWords = (await shell.RunAsync("unseal", Store, "--after", "19999")).Succeeded();
        var second = (await shell.RunAsync("unseal", Store, "--after", "9999", "--up-to", "10000", "--json")).Succeeded().Json;
        Assert.True(File.Exists(FirstSealed) && !File.Exists(SecondSealed));
        var kept = (await shell.RunAsync("seal", Store)).Succeeded();
        var first = (await shell.RunAsync("unseal", Store, "--up-to", "1")).Succeeded();

        Assert.Equal((2, 19_999, 2), FiguresOf(done));
        Assert.Equal((0, 0, 2), FiguresOf(none));
        Assert.Equal("Unsealed no folder. 2 folders are sealed now.\nNone of them has these positions.\n", noneInWords.Out);
        Assert.Equal((1, 10_000, 1), FiguresOf(second));
        Assert.Equal("Sealed no folder. 1 folder is sealed now.\nOnly full folders with durable events are sealed, and none of the newest 2.\n",
            kept.Out);
        Assert.Matches("^Unsealed 1 folder with 9,?999 events: [0-9,]+ bytes were written. 0 folders are sealed now.\n$", first.Out);
        Assert.Equal(text, await File.ReadAllTextAsync(EventFile(4711)));
    }

    [Fact]
    public async Task Sealed_folders_are_reported_and_info_counts_them()
    {
        var sealing = (await shell.RunAsync("seal", Store, "--json")).Succeeded().Json;

        var text = (await shell.RunAsync("info", Store)).Succeeded();
        var json = (await shell.RunAsync("info", Store, "--json")).Succeeded().Json;

        Assert.Equal(["folders", "events", "bytes", "sealedFolders", "finishedFolders"], sealing.EnumerateObject().Select(static member => member.Name));
        Assert.Contains("sealed    1 folder, of 10,000 positions each\n", text.Out, StringComparison.Ordinal);
        Assert.Equal(1, json.GetProperty("sealedFolders").GetInt64());
    }

    [Fact]
    public async Task An_event_of_a_sealed_folder_is_shown_with_its_append_and_the_sealed_file()
    {
        (await shell.RunAsync("seal", Store)).Succeeded();

        var text = (await shell.RunAsync("show", Store, "4711")).Succeeded();
        var json = (await shell.RunAsync("show", Store, "4711", "--json")).Succeeded().Json;

        Assert.Contains("append    event 711 of 2000: positions 4001 to 6000\n", text.Out, StringComparison.Ordinal);
        Assert.Contains($"file      {FirstSealed}\n", text.Out, StringComparison.Ordinal);
        Assert.Equal(FirstSealed, json.GetProperty("file").GetString());
        Assert.Equal(4001, json.GetProperty("commit").GetProperty("first").GetInt64());
    }

    [Fact]
    public async Task A_check_says_how_an_interrupted_sealing_goes_on()
    {
        (await shell.RunAsync("seal", Store)).Succeeded();
        Directory.CreateDirectory(Path.GetDirectoryName(EventFile(9))!);
        await File.WriteAllTextAsync(EventFile(9), "");

        var finding = await CheckAsync("UnfinishedSealing", "Seal");
        Assert.Equal($"opossum seal {Store}", finding.GetProperty("command").GetString());
        var finished = await shell.RunAsync([.. finding.GetProperty("command").GetString()!.Split(' ').Skip(1)]);
        Assert.Contains("1 folder of an interrupted run was finished.", finished.Out, StringComparison.Ordinal);

        Assert.False(File.Exists(EventFile(9)));
        (await shell.RunAsync("check", Store)).Succeeded();
    }

    [Fact]
    public async Task A_check_names_the_folder_to_unseal_whose_sealed_file_is_bad()
    {
        LongTests.SkipUnlessAsked();
        (await shell.RunAsync("seal", Store)).Succeeded();
        await File.WriteAllLinesAsync(FirstSealed, (await File.ReadAllLinesAsync(FirstSealed))[..^1]);

        var finding = await CheckAsync("BadSealedFile", "Unseal");
        Assert.Equal($"opossum unseal {Store} --after 0 --up-to 9999", finding.GetProperty("command").GetString());
        await RunCommandAsync(finding);

        Assert.False(File.Exists(FirstSealed));
        (await shell.RunAsync("check", Store)).Succeeded();
    }

    [Theory]
    [InlineData("0000010000.jsonl", "opossum unseal sales --after 9999 --up-to 19999")]
    [InlineData("0000010000", null)]
    [InlineData("10000.jsonl", null)]
    [InlineData("events.jsonl", null)]
    public void The_folder_to_unseal_is_named_by_its_sealed_file(string name, string? command)
    {
        var finding = new StoreFinding
        {
            Kind = FindingKind.BadSealedFile,
            Path = Path.Combine("sales", "Events", name),
            Position = null,
            Message = "bad",
            Remedy = Remedy.Unseal,
        };

        Assert.Equal(command, CheckFinding.Of(finding, "sales").Command);
    }

    [Theory]
    [InlineData("seal", "--keep 0 is not a number of folders to keep. Pass one from 1 to 214748.", "--keep", "0")]
    [InlineData("seal", "--keep 214749 is not a number of folders to keep. Pass one from 1 to 214748.", "--keep", "214749")]
    [InlineData("seal", "--keep -1 is not a number of folders to keep. Pass one from 1 to 214748.", "--keep", "-1")]
    [InlineData("seal", "--keep two is not a number of folders to keep. Pass one from 1 to 214748.", "--keep", "two")]
    [InlineData("unseal", "--after -1 is not a position. Pass a number from 0.", "--after", "-1")]
    [InlineData("unseal", "--up-to 99999999999999999999 is not a position. Pass a number from 1.", "--up-to", "99999999999999999999")]
    [InlineData("unseal", "--after 1 is not before --up-to 1, so there is nothing to unseal.", "--after", "1", "--up-to", "1")]
    public async Task Numbers_that_mean_nothing_are_wrong_usage(string command, string error, params string[] arguments)
    {
        var result = await shell.RunAsync([command, Store, .. arguments]);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Equal($"opossum: {error}", result.Error.Split('\n')[0]);
        Assert.Equal("", result.Out);
    }

    [Fact]
    public async Task The_greatest_number_of_folders_that_can_be_kept_is_taken()
    {
        (await shell.RunAsync("seal", Store, "--keep", "214748")).Succeeded();
        (await shell.RunAsync("unseal", Store, "--after", "9223372036854775807")).Succeeded();
    }

    [Theory]
    [InlineData("seal")]
    [InlineData("unseal")]
    public async Task A_path_without_a_store_is_an_error_and_nothing_is_made(string command)
    {
        var result = await shell.RunAsync(command, shell.PathOf("missing"));

        Assert.Equal(ExitCode.NoStore, result.ExitCode);
        Assert.False(Directory.Exists(shell.PathOf("missing")));
    }

    [Theory]
    [InlineData("seal", "Cancelled. What is sealed stays sealed; the same command, run again, continues from there.\n")]
    [InlineData("unseal", "Cancelled. What is unsealed stays unsealed; the same command, run again, continues from there.\n")]
    public async Task One_that_is_cancelled_says_what_is_left(string command, string error)
    {
        using var interruption = new CancellationTokenSource();
        await interruption.CancelAsync();

        var interrupted = await shell.RunAsync("", [command, Store], interruption.Token);

        Assert.Equal((ExitCode.Cancelled, error), (interrupted.ExitCode, interrupted.Error));
    }

    [Theory]
    [InlineData(StoreOperation.Seal, "Sealing")]
    [InlineData(StoreOperation.Unseal, "Unsealing")]
    public void Progress_names_the_work(StoreOperation work, string label)
    {
        var steps = new List<Step>();

        StoreSteps.To(new Steps(steps)).Report(new StoreProgress { Operation = work, Done = 5, Total = 10 });

        Assert.Equal([new Step(label, 5, 10)], steps);
    }

    private string EventFile(int position) => Path.Combine(Store, "Events", "0000000000", $"{position:D10}.json");

    // The only fault that a check finds.
    private async Task<JsonElement> CheckAsync(string kind, string remedy)
    {
        var finding = Assert.Single((await shell.RunAsync("check", Store, "--json")).Json.GetProperty("findings").EnumerateArray());
        Assert.Equal((kind, remedy), (finding.GetProperty("kind").GetString(), finding.GetProperty("remedy").GetString()));
        Assert.NotEqual("", finding.GetProperty("advice").GetString());
        return finding;
    }

    private async Task RunCommandAsync(JsonElement finding) =>
        (await shell.RunAsync([.. finding.GetProperty("command").GetString()!.Split(' ').Skip(1)])).Succeeded();

    private static (long Folders, long Events, long SealedFolders) FiguresOf(JsonElement report) => (report.GetProperty("folders").GetInt64(),
        report.GetProperty("events").GetInt64(), report.GetProperty("sealedFolders").GetInt64());

    private sealed class Steps(List<Step> steps) : IProgress<Step>
    {
        public void Report(Step value) => steps.Add(value);
    }
}
