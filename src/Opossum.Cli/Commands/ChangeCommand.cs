using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>A command that changes something: it can show what it would do, and asks before it takes anything away.</summary>
internal abstract class ChangeCommand : StoreCommand
{
    protected ChangeCommand(Terminal terminal, string name, string description, params IReadOnlyList<string> examples)
        : base(terminal, name, description, examples)
        => Add(DryRun, Yes);
}
