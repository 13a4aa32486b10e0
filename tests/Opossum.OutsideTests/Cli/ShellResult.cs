using System.Text.Json;
using Opossum.Cli;

namespace Opossum.CliTests;

/// <summary>What a command wrote, and its exit code.</summary>
internal sealed record ShellResult(ExitCode ExitCode, string Out, string Error)
{
    public JsonElement Json => JsonElement.Parse(Out);

    public IReadOnlyList<string> Lines => Out.Split('\n', StringSplitOptions.RemoveEmptyEntries);

    /// <summary>The result of a command that must have succeeded and reported no error.</summary>
    public ShellResult Succeeded()
    {
        Assert.Equal("", Error);
        Assert.Equal(ExitCode.Ok, ExitCode);
        return this;
    }
}
