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
    public async Task Values_without_a_form_of_their_own_are_written_or_refused()
    {
        LongTests.SkipUnlessAsked();
        await Sales.CreateAsync(Path.Combine(folder, "sales"));

        var values = await RunAsync("sales", "select date '2026-11-20' a, time '09:08:07.5' b, '\\xAB\\x01'::blob c, "
            + "{'at': date '2026-11-20', 'n': 2} d");
        var infinite = await RunAsync("sales", "select 'infinity'::timestamp");
        var huge = await RunAsync("sales", $"select {new string('9', 38)}::decimal(38, 0)");

        Assert.Contains("2026-11-20  09:08:07.5  AB01  [[at, 2026-11-20], [n, 2]]", values, StringComparison.Ordinal);
        Assert.StartsWith("opossum-sql: ", infinite, StringComparison.Ordinal);
        Assert.EndsWith("(exit code 1)\n", infinite, StringComparison.Ordinal);
        Assert.StartsWith("opossum-sql: ", huge, StringComparison.Ordinal);
        Assert.EndsWith("(exit code 1)\n", huge, StringComparison.Ordinal);
    }

    private async Task<string> RunAsync(string store, string sql)
    {
        var (exitCode, output, error) = await SampleProgram.RunProgramAsync("dotnet", environment: null,
            SourceTree.AssemblyOf("src", "Opossum.Sql"), Path.Combine(folder, store), InFolder(sql));
        var end = exitCode == 0 ? "" : $"(exit code {exitCode})\n";
        return (output + error).Replace(folder + Path.DirectorySeparatorChar, "", StringComparison.Ordinal) + end;
    }

    private string InFolder(string sql) => sql.Replace("'sales.parquet'",
        $"'{Path.Combine(folder, "sales.parquet")}'", StringComparison.Ordinal);

    [GeneratedRegex("(?<=^```text\n|\n)(\\$ opossum-sql (\\w+) \"([^\"]*)\"\n)((?!\\$ |```).*\n)*")]
    private static partial Regex Screen();
}
