using System.CommandLine;
using System.Reflection;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Prints the script with which a shell completes the commands and options of this program.</summary>
internal sealed class CompletionCommand : CliCommand
{
    private readonly Argument<string> shell = new("shell") { Description = "bash, zsh, fish or pwsh" };

    public CompletionCommand(Terminal terminal)
        : base(terminal, "completion", "Print a script that lets a shell complete commands and options",
            "opossum completion bash >> ~/.bashrc",
            "opossum completion zsh >> ~/.zshrc",
            "opossum completion fish > ~/.config/fish/completions/opossum.fish",
            "opossum completion pwsh >> $PROFILE")
    {
        shell.AcceptOnlyFromAmong("bash", "zsh", "fish", "pwsh");
        Add(shell);
    }

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var name = $"Opossum.Cli.Completion.opossum.{arguments.GetRequiredValue(shell)}";
        using var script = new StreamReader(Assembly.GetExecutingAssembly().GetManifestResourceStream(name)!);
        Terminal.Out.Write(script.ReadToEnd());
        return Task.FromResult(ExitCode.Ok);
    }
}
