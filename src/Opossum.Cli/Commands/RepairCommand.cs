using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>The repairs, a command each.</summary>
internal sealed class RepairCommand : Command
{
    public RepairCommand(Terminal terminal)
        : base("repair", "Repair a store; opossum check names the repair for each fault")
    {
        Add(new RepairOpenCommand(terminal));
        Add(new RepairFromIndexCommand(terminal));
        Add(new RepairFromFolderCommand(terminal));
        Add(new RepairAcceptEditCommand(terminal));
        Add(new ReindexCommand(terminal, "index"));
        Add(new RepairTruncateCommand(terminal));
        Add(new RepairRedactCommand(terminal));
    }
}
