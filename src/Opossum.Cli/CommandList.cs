using System.CommandLine;
using Opossum.Cli.Commands;
using Opossum.Cli.Terminals;

namespace Opossum.Cli;

/// <summary>The commands, in the groups and the order in which help lists them.</summary>
internal static class CommandList
{
    /// <summary>What the commands are for, and their names.</summary>
    public static IReadOnlyList<(string Title, string[] Commands)> Groups { get; } =
    [
        ("Look at a store", ["info", "read", "tail", "show", "types", "diff"]),
        ("Store events", ["new", "append", "import", "migrate", "tags"]),
        ("Copy", ["backup", "snapshots", "restore", "export", "follow", "promote"]),
        ("Check and repair", ["check", "repair", "reindex", "seal", "unseal"]),
        ("Projections and reactions", ["projections", "reactions"]),
        ("Personal data", ["forget", "find-person", "keys", "master-key"]),
        ("Proofs", ["proof", "prove", "verify-proof", "verify"]),
        ("Shells", ["completion"]),
    ];

    private static readonly string[] names = [.. Groups.SelectMany(static group => group.Commands)];

    /// <summary>Makes the command of a name, or all commands when none has it.</summary>
    public static IEnumerable<Command> New(Terminal terminal, string? only)
    {
        if (Array.IndexOf(names, only) >= 0)
            return [New(only!, terminal)];
        var all = new Command[names.Length];
        for (var at = 0; at < all.Length; at++)
            all[at] = New(names[at], terminal);
        return all;
    }

    private static Command New(string name, Terminal terminal) => name switch
    {
        "info" => new InfoCommand(terminal),
        "read" => new ReadCommand(terminal),
        "tail" => new TailCommand(terminal),
        "show" => new ShowCommand(terminal),
        "types" => new TypesCommand(terminal),
        "projections" => new ProjectionsCommand(terminal),
        "reactions" => new ReactionsCommand(terminal),
        "diff" => new DiffCommand(terminal),
        "new" => new NewCommand(terminal),
        "append" => new AppendCommand(terminal),
        "check" => new CheckCommand(terminal),
        "repair" => new RepairCommand(terminal),
        "reindex" => new ReindexCommand(terminal),
        "seal" => new SealCommand(terminal),
        "unseal" => new UnsealCommand(terminal),
        "forget" => new ForgetCommand(terminal),
        "find-person" => new FindPersonCommand(terminal),
        "keys" => new KeysCommand(terminal),
        "master-key" => new MasterKeyCommand(terminal),
        "backup" => new BackupCommand(terminal),
        "snapshots" => new SnapshotsCommand(terminal),
        "restore" => new RestoreCommand(terminal),
        "export" => new ExportCommand(terminal),
        "follow" => new FollowCommand(terminal),
        "promote" => new PromoteCommand(terminal),
        "import" => new ImportCommand(terminal),
        "migrate" => new MigrateCommand(terminal),
        "tags" => new TagsCommand(terminal),
        "proof" => new ProofCommand(terminal),
        "prove" => new ProveCommand(terminal),
        "verify-proof" => new VerifyProofCommand(terminal),
        "verify" => new VerifyCommand(terminal),
        "completion" => new CompletionCommand(terminal),
        _ => throw new ArgumentException($"There is no command {name}.", nameof(name)),
    };
}
