using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Opossum.Maintenance;

namespace Opossum.DocTests;

/// <summary>What docs/sealing.md tells of sealing can be followed: its code, its recipes for a shell, and the edit of a line.</summary>
public sealed partial class SealingSnippets : DocumentCode
{
    private const int Sealed = 9_999;
    private const string SealedFile = "webshop/Events/0000000000.jsonl";

    [Fact]
    public async Task A_folder_is_sealed_searched_edited_and_unsealed()
    {
        LongTests.SkipUnlessAsked();
        await FillAsync();
        await SealAsync();
        Assert.False(Directory.Exists("webshop/Events/0000000000"));
        Assert.Equal(Sealed + 1, (await File.ReadAllLinesAsync(SealedFile)).Length);

        RunRecipes();
        await DamageAsync();
        await EditAsync();
        await DamageClosingLineAsync();
        await UnsealAsync();

        Assert.False(File.Exists(SealedFile));
        Assert.True((await StoreCheck.RunAsync("webshop")).IsClean);
    }

    private static async Task SealAsync()
    {
        var report = await StoreSealing.SealAsync("webshop", keepNewestFolders: 1);
        Console.WriteLine(report);
        Assert.Equal((1, Sealed, 1), (report.Folders, report.Events, report.SealedFolders));
    }

    private static async Task UnsealAsync()
    {
        var report = await StoreSealing.UnsealAsync("webshop", after: 4710, upTo: 4711);
        Console.WriteLine(report);
        Assert.Equal((1, Sealed, 0), (report.Folders, report.Events, report.SealedFolders));
    }

    // The recipes of the document, in its order, on events whose answers are known.
    private static void RunRecipes()
    {
        var document = File.ReadAllText(Path.Combine(Repository.Root, "docs", "sealing.md")).ReplaceLineEndings("\n");
        var recipes = ShellBlock().Matches(document)
            .SelectMany(static match => match.Groups["code"].Value.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        var positions = Enumerable.Range(1, Sealed).ToList();
        var paid = positions.FindAll(static position => TypeOf(position) == "order-paid");

        string[] expected =
        [
            Lines(positions.Where(static position => position % 1000 == 17)),
            "4711",
            $"{Sealed - paid.Count} order-placed\n{paid.Count} order-paid",
            paid.Sum().ToString(CultureInfo.InvariantCulture),
        ];
        Assert.Equal(expected, recipes.Select(Run));

        static string Lines(IEnumerable<int> positions) => string.Join('\n', positions);
    }

    // The output of a recipe: of lines and texts of events only the positions.
    private static string Run(string recipe)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "On Windows bash may be a program that only offers to install it.");
        var start = new ProcessStartInfo("bash", ["-c", $"command -v jq > /dev/null || exit 127; set -o pipefail; {recipe}"])
        {
            RedirectStandardOutput = true,
            Environment = { ["LC_ALL"] = "C" },
        };
        try
        {
            using var bash = Process.Start(start)!;
            var output = bash.StandardOutput.ReadToEnd();
            bash.WaitForExit();
            Assert.SkipWhen(bash.ExitCode == 127, "There is no jq here.");
            Assert.True(bash.ExitCode == 0, $"{recipe} ended with {bash.ExitCode}.");
            return Position().IsMatch(output)
                ? string.Join('\n', Position().Matches(output).Select(match => match.Groups["position"].Value))
                : string.Join('\n', output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line.Trim()));
        }
        catch (Win32Exception)
        {
            Assert.Skip("There is no bash here.");
            throw;
        }
    }

    private static async Task EditAsync()
    {
        await ReplaceAsync("{\"total\":4711}", "{\"total\":4712}");
        await AssertBadAsync();

        var report = await StoreRepair.AcceptEditedFileAsync("webshop", position: 4711);

        Assert.Equal(RepairOutcome.EditAccepted, report.Outcome);
        Assert.Contains("{\"total\":4712}", await File.ReadAllTextAsync(SealedFile), StringComparison.Ordinal);
        Assert.True((await StoreCheck.RunAsync("webshop")).IsClean);
    }

    private static async Task DamageAsync()
    {
        await ReplaceAsync("{\"total\":4711}", "{\"total\":4713}");
        await AssertBadAsync();
        await StoreRepair.RestoreFromFolderAsync("webshop", "webshop-copies");
        Assert.Contains("{\"total\":4711}", await File.ReadAllTextAsync(SealedFile), StringComparison.Ordinal);
        Assert.True((await StoreCheck.RunAsync("webshop")).IsClean);
    }

    private static async Task DamageClosingLineAsync()
    {
        await ReplaceAsync("\"every\":4", "\"every\":5");
        Assert.Equal(4711, (await ReadAsync()).Position);
        var finding = Assert.Single((await StoreCheck.RunAsync("webshop")).Findings);
        Assert.Equal((FindingKind.BadSealedFile, Remedy.Unseal), (finding.Kind, finding.Remedy));
    }

    private static async Task AssertBadAsync()
    {
        var finding = (await StoreCheck.RunAsync("webshop")).Findings[0];
        Assert.Equal((FindingKind.BadEventFile, Remedy.AcceptEditedFile, 4711), (finding.Kind, finding.Remedy, finding.Position));
        Assert.EndsWith("0000000000.jsonl", finding.Path, StringComparison.Ordinal);
        await Assert.ThrowsAsync<StoreDamagedException>(ReadAsync);
    }

    private static async Task<SequencedEvent> ReadAsync()
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "webshop" });
        return await store.ReadAsync(Query.All, new ReadOptions { After = 4710, Limit = 1 }).SingleAsync();
    }

    private static async Task ReplaceAsync(string before, string after) => await File.WriteAllTextAsync(SealedFile,
        (await File.ReadAllTextAsync(SealedFile)).Replace(before, after, StringComparison.Ordinal));

    private static async Task FillAsync()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "webshop", FlushEventsImmediately = false }))
        {
            foreach (var batch in Enumerable.Range(1, Sealed + 1).Chunk(500))
            {
                await store.AppendAsync([.. batch.Select(position => NewEvent.FromJson(TypeOf(position), $$"""{ "total": {{position}} }""",
                    [new Tag("customer", $"c{position % 1000}")]))]);
            }
        }
        Directory.CreateDirectory("webshop-copies");
        File.Copy("webshop/Events/0000000000/0000004711.json", "webshop-copies/0000004711.json");
        // What is sealed was flushed before the newest event was appended.
        await using var reopened = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "webshop" });
        await reopened.AppendAsync([NewEvent.FromJson("order-placed", "1")]);
    }

    private static string TypeOf(int position) => position % 3 == 0 ? "order-paid" : "order-placed";

    [GeneratedRegex(@"```bash\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex ShellBlock();

    [GeneratedRegex("^\\s*\\{?\"position\": ?(?<position>[0-9]+)", RegexOptions.Multiline)]
    private static partial Regex Position();
}
