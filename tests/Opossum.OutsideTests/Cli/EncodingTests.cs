using System.Diagnostics;
using System.Text;
using Opossum.Cli;

namespace Opossum.CliTests;

/// <summary>Text that is not UTF-8 is refused, wherever it comes from, instead of being stored damaged.</summary>
public sealed class EncodingTests : StoreTest
{
    private static readonly byte[] latin1 = Encoding.Latin1.GetBytes("{\"a\":1}\n{\"name\":\"M\u00FCller\"}\n");

    [Fact]
    public async Task Bytes_that_are_not_UTF_8_are_refused_from_a_pipe_and_from_a_file()
    {
        var before = FilesOfStore();
        var file = Shell.PathOf("latin1.json");
        await File.WriteAllBytesAsync(file, latin1);

        var piped = await Shell.RunAsync(latin1, ["append", Store, "--type", "t"]);
        var filed = await Shell.RunAsync("append", Store, file, "--type", "t");

        Assert.Equal((ExitCode.Usage, ExitCode.Usage), (piped.ExitCode, filed.ExitCode));
        Assert.StartsWith("opossum: The standard input, line 2: this is not UTF-8.", piped.Error, StringComparison.Ordinal);
        Assert.StartsWith($"opossum: {file}, line 2: this is not UTF-8.", filed.Error, StringComparison.Ordinal);
        Assert.Equal(before, FilesOfStore());
    }

    [Theory]
    [InlineData("{\"a\":\"\\ud800\"}")]
    [InlineData("{\"\\udc00\":1}")]
    [InlineData("{\"a\":1,\"a\":2}")]
    [InlineData("{\"a\":{\"b\":1,\"b\":2}}")]
    public async Task Half_characters_and_members_that_are_there_twice_are_refused(string json)
    {
        var result = await Shell.RunAsync($"{{}}\n{json}", ["append", Store, "--type", "t"]);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.StartsWith("opossum: The standard input, line 2, event 2:", result.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{\"type\":\"\\ud800\",\"data\":1}")]
    [InlineData("{\"type\":\"t\",\"tags\":[\"\\ud800:1\"],\"data\":1}")]
    [InlineData("{\"type\":\"t\",\"metadata\":{\"a\":\"\\ud800\"},\"data\":1}")]
    [InlineData("{\"type\":\"t\",\"type\":\"u\",\"data\":1}")]
    public async Task The_same_around_the_data(string json)
    {
        var result = await Shell.RunAsync(json, ["append", Store]);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.StartsWith("opossum: The standard input, line 1, event 1:", result.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task UTF_8_with_a_byte_order_mark_is_stored_as_it_is()
    {
        (await Shell.RunAsync([.. Encoding.UTF8.Preamble, .. Encoding.UTF8.GetBytes("{\"name\":\"M\u00FCller \U0001F600\"}")],
            ["append", Store, "--type", "t"])).Succeeded();

        Assert.Contains("M\u00FCller \U0001F600", (await Shell.RunAsync("read", Store, "--last", "1")).Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Half_a_character_in_an_argument_is_refused()
    {
        foreach (var text in (string[])["\uD83D", "a\uDE00b"])
        {
            var result = await Shell.RunAsync("{}", ["append", Store, "--type", "t", "--meta", $"name={text}"]);

            Assert.Equal(ExitCode.Usage, result.ExitCode);
            Assert.StartsWith("opossum: Argument 6 is not valid Unicode text.", result.Error, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("append SALES --type t --tag name:M\\xfcller", "Argument 6 ")]
    [InlineData("append SALES --type t --meta name=M\\xfcller", "Argument 6 ")]
    [InlineData("repair redact SALES 1 --member a --reason M\\xfcller --yes", "Argument 8 ")]
    [InlineData("info M\\xfcller", "Argument 2 ")]
    public async Task Bytes_of_an_argument_that_are_not_UTF_8_are_refused(string arguments, string named)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "other systems pass arguments otherwise");
        var script = $"echo '{{}}' | dotnet '{typeof(CommandLine).Assembly.Location}' "
            + string.Join(' ', arguments.Replace("SALES", Store, StringComparison.Ordinal).Split(' ').Select(static word => $"$'{word}'"));
        using var bash = Process.Start(new ProcessStartInfo("bash", ["-c", script]) { RedirectStandardError = true })!;
        var error = await bash.StandardError.ReadToEndAsync();
        await bash.WaitForExitAsync();
        Assert.StartsWith($"opossum: {named}is not valid Unicode text.", error, StringComparison.Ordinal);
        Assert.Equal((int)ExitCode.Usage, bash.ExitCode);
    }

    [Fact]
    public async Task A_replacement_character_that_is_meant_is_text() =>
        (await Shell.RunAsync("{}", ["append", Store, "--type", "t", "--meta", "name=\uFFFD"])).Succeeded();
}
