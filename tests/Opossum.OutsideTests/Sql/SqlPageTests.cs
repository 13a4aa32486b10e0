using System.Text;
using System.Text.RegularExpressions;
using Opossum.CliTests;
using Opossum.SampleTests;
using Opossum.Tests.Architecture;

namespace Opossum.SqlTests;

/// <summary>
/// Runs the commands in docs/sql.md and compares what they write with what the page shows. With the environment variable
/// UPDATE_SCREENS set, the page is written instead.
/// </summary>
public sealed partial class SqlPageTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task The_page_shows_what_the_tool_writes()
    {
        LongTests.SkipUnlessAsked();
        await Sales.CreateAsync(Path.Combine(folder, "sales"));
        var file = Path.Combine(SourceTree.Root, "docs", "sql.md");
        var page = (await File.ReadAllTextAsync(file)).ReplaceLineEndings("\n");
        var made = new StringBuilder();
        var copied = 0;
        foreach (Match screen in Screen().Matches(page))
        {
            made.Append(page, copied, screen.Groups[1].Index + screen.Groups[1].Length - copied);
            made.Append(await RunAsync(screen.Groups[2].Value, screen.Groups[3].Value));
            copied = screen.Index + screen.Length;
        }
        made.Append(page, copied, page.Length - copied);

        if (Environment.GetEnvironmentVariable("UPDATE_SCREENS") is not null)
            await File.WriteAllTextAsync(file, made.ToString());
        else
            Assert.Equal(page, made.ToString());
        Assert.True(copied > 0, "The page shows no command.");
    }

    [Fact]
    public async Task Every_value_is_written_as_text_that_controls_no_terminal()
    {
        LongTests.SkipUnlessAsked();
        await Sales.CreateAsync(Path.Combine(folder, "sales"));

        var dates = await RunAsync("sales", "select date '2026-11-20', date '0001-01-01 (BC)', time '09:08:07.5', 'infinity'::timestamp");
        var nested = await RunAsync("sales", "select [1, null], {'at': date '2026-11-20', 'n': null}, map {'a': null}");
        var others = await RunAsync("sales", $"select '\\xAB'::blob, {new string('9', 38)}::decimal(38, 0), interval '5 years 10 months'");
        var texts = await RunAsync("sales", "select chr(27) || '[2J' || chr(8238) || chr(10) || 'ä' as \"\u001b\"");
        var wrong = await RunAsync("sales", "select nope from events");
        var first = await RunAsync("sales", "select tags, timestamp::date from events where position = 1; -- the first;");
        var set = await RunAsync("sales", "set threads = 1; select [date '2026-11-20'] as days");
        var quoted = await RunAsync("sales", """
            select 'a;''b' as "c;d", $$e;f$$ as g, $h$ ; $$ $h$ as h, e'\';' as i; -- j; k
            /* l; m */ select [2] as n
            """);
        var fails = await RunAsync("sales", "select error('no; ' || position) from events");
        var several = await RunAsync("sales", "create table more as select 1 as one; select one from more;");

        Assert.Equal("2026-11-20|0001-01-01 (BC)|09:08:07.5|infinity", LastRow(dates));
        Assert.Equal("[1, NULL]|{'at': 2026-11-20, 'n': NULL}|{a=NULL}", LastRow(nested));
        Assert.Equal($"\\xAB|{new string('9', 38)}|5 years 10 months", LastRow(others));
        Assert.Equal("\\u001b\n\\u001b[2J\\u202e ä\n", texts);
        Assert.Contains("LINE 1: select nope", wrong, StringComparison.Ordinal);
        Assert.Equal("one\n1\n", several);
        Assert.Equal("['order:o1', 'customer:c1']|2026-11-20", LastRow(first));
        Assert.Equal("days\n[2026-11-20]\n", set);
        Assert.Equal("c;d   g    h       i\na;'b  e;f   ; $$   ';\nn\n[2]\n", quoted);
        Assert.Contains("no; 1", fails, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_is_no_error()
    {
        LongTests.SkipUnlessAsked();

        var (exitCode, output, error) = await SampleProgram.RunProgramAsync("dotnet", environment: null,
            SourceTree.AssemblyOf("src", "Opossum.Sql"), "--help");

        Assert.Equal((0, ""), (exitCode, error));
        Assert.StartsWith("Usage: opossum-sql STORE", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Metadata_are_written_without_escapes_that_nobody_needs()
    {
        LongTests.SkipUnlessAsked();
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Path.Combine(folder, "notes") }))
        {
            var metadata = new Dictionary<string, string> { ["by"] = "Zoë <b>" };
            await store.AppendAsync(NewEvent.FromJson("noted", "{}") with { Metadata = metadata });
        }

        Assert.Equal("metadata\n{\"by\":\"Zoë <b>\"}\n", await RunAsync("notes", "select metadata from events"));
    }

    private async Task<string> RunAsync(string store, string sql)
    {
        var (exitCode, output, error) = await SampleProgram.RunProgramAsync("dotnet", environment: null,
            SourceTree.AssemblyOf("src", "Opossum.Sql"), Path.Combine(folder, store), InFolder(sql));
        var end = exitCode == 0 ? "" : $"(exit code {exitCode})\n";
        return (output + error).Replace(folder + Path.DirectorySeparatorChar, "", StringComparison.Ordinal) + end;
    }

    private static string LastRow(string output) => Columns().Replace(output.TrimEnd('\n').Split('\n')[^1], "|");

    private string InFolder(string sql) => sql.Replace("'sales.parquet'",
        $"'{Path.Combine(folder, "sales.parquet")}'", StringComparison.Ordinal);

    [GeneratedRegex("(?<=^```text\n|\n)(\\$ opossum-sql (\\w+) \"([^\"]*)\"\n)((?!\\$ |```).*\n)*")]
    private static partial Regex Screen();

    [GeneratedRegex(" {2,}")]
    private static partial Regex Columns();
}
