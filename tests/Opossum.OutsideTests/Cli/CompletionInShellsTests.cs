using System.Diagnostics;

namespace Opossum.CliTests;

/// <summary>The completion scripts in the shells that they are for.</summary>
public sealed class CompletionInShellsTests : IAsyncLifetime
{
    private readonly Shell shell = new();

    private string Bin => shell.PathOf("bin");

    public ValueTask InitializeAsync()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("The command that a shell finds is a script for Unix.");
            return ValueTask.CompletedTask;
        }
        Directory.CreateDirectory(Bin);
        var command = Path.Combine(Bin, "opossum");
        File.WriteAllText(command, $"#!/bin/sh\nexec dotnet '{CliProcess.Program}' \"$@\"\n");
        File.SetUnixFileMode(command, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task Bash_completes_a_command_and_an_option()
    {
        var script = await ScriptAsync("bash");
        const string Complete = "COMP_POINT=${#COMP_LINE}; COMP_WORDS=($COMP_LINE); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _opossum; "
            + "echo ${COMPREPLY[@]}";

        Assert.Equal("repair\n", await RunAsync("bash", "-c", $"source '{script}'; COMP_LINE='opossum repa'; {Complete}"));
        Assert.Equal("--verify-all\n", await RunAsync("bash", "-c", $"source '{script}'; COMP_LINE='opossum backup --verify'; {Complete}"));
    }

    [Fact]
    public async Task Zsh_completes_a_command_and_an_option()
    {
        var script = await ScriptAsync("zsh");
        // compadd works only inside a completion, so what the script gives it is printed.
        var setUp = $"compdef() {{ : }}; compadd() {{ print -l -- ${{(P)2}} }}; _files() {{ : }}; source '{script}';";

        Assert.Equal("repair\n", await RunAsync("zsh", "-f", "-c", $"{setUp} BUFFER='opossum repa' CURSOR=12 _opossum"));
        Assert.Equal("--verify-all\n", await RunAsync("zsh", "-f", "-c", $"{setUp} BUFFER='opossum backup --verify' CURSOR=23 _opossum"));
    }

    [Fact]
    public async Task Fish_completes_a_command_and_an_option()
    {
        var script = await ScriptAsync("fish");

        Assert.Contains("repair\n", await CompleteAsync("opossum repa"), StringComparison.Ordinal);
        Assert.Contains("--verify-all\n", await CompleteAsync("opossum backup --verify"), StringComparison.Ordinal);

        Task<string> CompleteAsync(string line) => RunAsync("fish", "--no-config", "-c", $"source '{script}'; complete -C '{line}'");
    }

    [Fact]
    public async Task PowerShell_completes_a_command()
    {
        var script = await ScriptAsync("pwsh");
        const string Complete = "(TabExpansion2 'opossum repa' 12).CompletionMatches.CompletionText";

        Assert.Equal("repair\n", await RunAsync("pwsh", "-NoProfile", "-Command", $". '{script}'; {Complete}"));
    }

    public ValueTask DisposeAsync()
    {
        shell.Dispose();
        return ValueTask.CompletedTask;
    }

    private async Task<string> ScriptAsync(string name)
    {
        var program = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Select(folder => Path.Combine(folder, name))
            .FirstOrDefault(File.Exists);
        Assert.SkipWhen(program is null, $"{name} is not installed.");
        var script = shell.PathOf($"opossum.{(name == "pwsh" ? "ps1" : name)}");
        await File.WriteAllTextAsync(script, (await shell.RunAsync("completion", name)).Succeeded().Out);
        return script;
    }

    private async Task<string> RunAsync(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["PATH"] = $"{Bin}{Path.PathSeparator}{start.Environment["PATH"]}";
        start.Environment["HOME"] = shell.Folder;
        using var process = Process.Start(start)!;
        var error = process.StandardError.ReadToEndAsync();
        var output = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.Equal("", await error);
        return output;
    }
}
