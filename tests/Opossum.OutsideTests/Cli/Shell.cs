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

    /// <summary>The store that is meant where none is named; null: there is none.</summary>
    public string? DefaultStore { get; init; }

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    public string PathOf(string name) => Path.Combine(Folder, name);

    /// <summary>Runs a command and returns what it wrote.</summary>
    public Task<ShellResult> RunAsync(params string[] arguments) => RunAsync("", arguments);

    /// <summary>Runs a command whose standard input is a text.</summary>
    public Task<ShellResult> RunAsync(string input, string[] arguments, CancellationToken cancellationToken = default) =>
        RunAsync(input, terminal => CommandLine.Run(arguments, terminal, cancellationToken));

    /// <summary>Runs a command whose standard input is bytes.</summary>
    public Task<ShellResult> RunAsync(byte[] input, string[] arguments) =>
        RunAsync("", terminal => CommandLine.Run(arguments, terminal, CancellationToken.None), input);

    /// <summary>Runs a command by the parser, also where the command line does without it.</summary>
    public Task<ShellResult> RunParsedAsync(params string[] arguments) =>
        RunAsync("", terminal => CommandLine.RunParsed(arguments, terminal, CancellationToken.None));

    public void Dispose() => Directory.Delete(Folder, recursive: true);

    private async Task<ShellResult> RunAsync(string input, Func<Terminal, int> run, byte[]? bytes = null)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        using var reader = new StringReader(input);
        using var terminal = new Terminal(output, () => error, () => reader)
        {
            IsScreen = IsScreen,
            CanAsk = IsScreen,
            Width = Width,
            TimeProvider = TimeProvider,
            FindDefaultStore = () => DefaultStore,
            InBytes = bytes is null ? null : () => new MemoryStream(bytes),
        };
        var exitCode = await Task.Run(() => run(terminal));
        return new ShellResult((ExitCode)exitCode, output.ToString(), error.ToString());
    }
}
