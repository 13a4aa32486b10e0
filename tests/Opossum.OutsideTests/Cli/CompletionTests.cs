using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class CompletionTests : IDisposable
{
    private readonly Shell shell = new();

    [Theory]
    [InlineData("bash")]
    [InlineData("zsh")]
    [InlineData("fish")]
    [InlineData("pwsh")]
    public async Task Each_shell_has_a_script(string name)
    {
        var result = (await shell.RunAsync("completion", name)).Succeeded();

        Assert.Contains("[suggest:", result.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_command_line_is_completed()
    {
        var result = (await shell.RunAsync("[suggest:12]", "opossum repa")).Succeeded();

        Assert.Equal(["repair"], result.Lines);
    }

    [Fact]
    public async Task An_unknown_shell_is_wrong_usage() =>
        Assert.Equal(ExitCode.Usage, (await shell.RunAsync("completion", "tcsh")).ExitCode);

    public void Dispose() => shell.Dispose();
}
