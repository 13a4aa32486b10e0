using Opossum.Cli;
using Opossum.Cli.Terminals;

namespace Opossum.CliTests;

/// <summary>Runs commands as a shell does, in this process, in a temporary folder.</summary>
internal sealed class Shell : IDisposable
{
    public Shell() => Directory.CreateDirectory(Folder);

    public string Folder { get; } = Path.Combine(Path.GetTempPath(), $"opossum-cli-{Guid.NewGuid():N}");

    /// <summary>Whether output and errors go to a screen, and a person can answer.</summary>
    public bool IsScreen { get; init; }

    public int Width { get; init; } = 80;

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    public string PathOf(string name) => Path.Combine(Folder, name);

    /// <summary>Runs a command and returns what it wrote.</summary>
    public Task<ShellResult> RunAsync(params string[] arguments) => RunAsync("", arguments);

    /// <summary>Runs a command whose standard input is a text.</summary>
    public async Task<ShellResult> RunAsync(string input, string[] arguments, CancellationToken cancellationToken = default)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        using var reader = new StringReader(input);
        using var terminal = new Terminal(output, error, () => reader)
        {
            IsScreen = IsScreen,
            CanAsk = IsScreen,
            Width = Width,
            TimeProvider = TimeProvider,
        };
        var exitCode = await Task.Run(() => CommandLine.Run(arguments, terminal, cancellationToken), CancellationToken.None);
        return new ShellResult((ExitCode)exitCode, output.ToString(), error.ToString());
    }

    public void Dispose() => Directory.Delete(Folder, recursive: true);
}
