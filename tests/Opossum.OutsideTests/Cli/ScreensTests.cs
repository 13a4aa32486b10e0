using System.Text;
using System.Text.RegularExpressions;
using Opossum.Cli;
using Opossum.ProcessTests.Worker;
using Opossum.Tests.Architecture;

namespace Opossum.CliTests;

/// <summary>
/// Runs the commands in docs/cli.md and compares what they write with what the page shows. With the environment variable UPDATE_SCREENS
/// set, as docs/update-screens sets it, the page is written instead.
/// </summary>
public sealed partial class ScreensTests : StoreTest
{
    private const string Prompt = "$ ";
    private const string ShownFolder = "/data/";
    private const string ShownApp = "Shop.dll";
    private const string ShownId = "01a1fe27-d335-79b1-9dff-bdbba9526ebd";

    [Fact]
    public async Task The_page_shows_what_the_commands_write()
    {
        var file = Path.Combine(SourceTree.Root, "docs", "cli.md");
        var page = (await File.ReadAllTextAsync(file)).ReplaceLineEndings("\n");
        await Desk.MakeAsync(Shell.PathOf("desk"));
        await MakeShopAsync(Shell.PathOf("shop"));
        var made = new StringBuilder();
        var copied = 0;
        foreach (Match screen in Screen().Matches(page))
        {
            made.Append(page, copied, screen.Groups[1].Index - copied);
            foreach (var line in screen.Groups[1].Value.Split('\n').Where(line => line.StartsWith(Prompt, StringComparison.Ordinal)))
                made.Append(line).Append('\n').Append(await RunAsync(line[Prompt.Length..]));
            copied = screen.Groups[1].Index + screen.Groups[1].Length;
        }
        made.Append(page, copied, page.Length - copied);

        if (Environment.GetEnvironmentVariable("UPDATE_SCREENS") is not null)
            await File.WriteAllTextAsync(file, made.ToString());
        else
            Assert.Equal(page, made.ToString());
    }

    private static async Task MakeShopAsync(string path)
    {
        var options = new OpossumOptions { Path = path };
        options.PersonalData.MasterKey = MasterKey.Create();
        options.EventTypes.Add<CustomerRegistered>();
        await using var store = await FileSystemEventStore.OpenAsync(options);
        await store.AppendAsync([new NewEvent(new CustomerRegistered("c1", null))]);
    }

    private async Task<string> RunAsync(string line)
    {
        if (line.StartsWith("rm ", StringComparison.Ordinal))
        {
            File.Delete(PathOf(line[3..]));
            return "";
        }
        var pipe = Piped().Match(line);
        var words = Word().Matches(pipe.Groups[2].Value)
            .Select(word => word.Value is ['\'', .. var quoted, '\''] ? quoted : PathOf(word.Value)).ToArray();
        var result = await Shell.RunAsync(pipe.Groups[1].Value, words);
        var exit = result.ExitCode == ExitCode.Ok ? "" : $"(exit code {(int)result.ExitCode})\n";
        var written = (result.Out + result.Error).Replace(Shell.Folder + Path.DirectorySeparatorChar, ShownFolder, StringComparison.Ordinal);
        // A command that is shown to be copied names the store as the one before it did.
        written = ShownCommand().Replace(written, "");
        written = written.Replace($"{typeof(OrderPlaced).Namespace}.", "Shop.", StringComparison.Ordinal);
        return FileSystem().Replace(Id().Replace(written, ShownId), "on        ext4") + exit;
    }

    private string PathOf(string word) => word == ShownApp ? typeof(OrderPlaced).Assembly.Location
        : word.Split('/')[0] is "sales" or "desk" or "shop" or "backups" or "sales.jsonl" or "restored" or "replica" or "copy" or "sales.key" ? Shell.PathOf(word) : word;

    [EventType("visitor-registered")]
    private sealed record CustomerRegistered([property: Tag("customer")] string CustomerId,
        [property: Personal("customer")] string? Email, int Visits = 0);

    [GeneratedRegex("(?<=^```text\n)(\\$ (?:opossum|echo|rm) (?:.*\n)*?)(?=```$)", RegexOptions.Multiline)]
    private static partial Regex Screen();

    [GeneratedRegex("^(?:echo '(.*)' \\| )?opossum (.*)$")]
    private static partial Regex Piped();

    [GeneratedRegex("'[^']*'|\\S+")]
    private static partial Regex Word();

    [GeneratedRegex($"(?<=opossum [a-z -]+ ){ShownFolder}")]
    private static partial Regex ShownCommand();

    [GeneratedRegex("^on        .*$", RegexOptions.Multiline)]
    private static partial Regex FileSystem();

    [GeneratedRegex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")]
    private static partial Regex Id();
}
