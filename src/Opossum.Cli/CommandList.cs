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
        "projections" => NewProjections(terminal),
        "reactions" => NewReactions(terminal),
        "diff" => new DiffCommand(terminal),
        "new" => new NewCommand(terminal),
        "append" => new AppendCommand(terminal),
        "check" => new CheckCommand(terminal),
        "repair" => NewRepair(terminal),
        "reindex" => new ReindexCommand(terminal),
        "seal" => new SealCommand(terminal),
        "unseal" => new UnsealCommand(terminal),
        "forget" => new ForgetCommand(terminal),
        "find-person" => new FindPersonCommand(terminal),
        "keys" => NewKeys(terminal),
        "master-key" => NewMasterKey(terminal),
        "backup" => new BackupCommand(terminal),
        "snapshots" => new SnapshotsCommand(terminal),
        "restore" => new RestoreCommand(terminal),
        "export" => new ExportCommand(terminal),
        "follow" => new FollowCommand(terminal),
        "promote" => new PromoteCommand(terminal),
        "import" => new ImportCommand(terminal),
        "migrate" => new MigrateCommand(terminal),
        "tags" => NewTags(terminal),
        "proof" => NewProof(terminal),
        "prove" => new ProveCommand(terminal),
        "verify-proof" => new VerifyProofCommand(terminal),
        "verify" => new VerifyCommand(terminal),
        "completion" => new CompletionCommand(terminal),
        _ => throw new ArgumentException($"There is no command {name}.", nameof(name)),
    };

    private static Command NewTags(Terminal terminal) =>
        new("tags", "Make a member of events a tag, also of those that are stored already, and undo it")
        {
            new TagsListCommand(terminal),
            new TagsAddCommand(terminal),
            new TagsRemoveCommand(terminal),
        };

    private static Command NewRepair(Terminal terminal) => new("repair", "Repair a store; opossum check names the repair for each fault")
    {
        new RepairOpenCommand(terminal),
        new RepairFromIndexCommand(terminal),
        new RepairFromFolderCommand(terminal),
        new RepairAcceptEditCommand(terminal),
        new ReindexCommand(terminal, "index"),
        new RepairTruncateCommand(terminal),
        new RepairRedactCommand(terminal),
    };

    private static Command NewProjections(Terminal terminal) =>
        new("projections", "List projections with their lag, read states, request a rebuild, a retry or a skip")
        {
            new ProjectionsListCommand(terminal),
            new ProjectionsStatesCommand(terminal),
            new ProjectionsRebuildCommand(terminal),
            new ProjectionsRetryCommand(terminal),
            new FollowerSkipCommand(FollowerKind.Projection, terminal,
                "Request that the event at which a projection has stopped is skipped, for good", "The position at which it has stopped",
                "opossum projections skip sales customers 42 --reason 'a test order' --yes"),
        };

    private static Command NewReactions(Terminal terminal) =>
        new("reactions", "List reactions with their lag and parked events, request a retry, a skip or handling again")
        {
            new ReactionsListCommand(terminal),
            new ReactionsParkedCommand(terminal),
            new ReactionsRetryCommand(terminal),
            new FollowerSkipCommand(FollowerKind.Reaction, terminal, "Request that a parked event is skipped, for good",
                "The parked event's position", "opossum reactions skip sales mails 42 --reason 'a test order' --yes"),
            new ReactionsAgainCommand(terminal),
        };

    private static Command NewKeys(Terminal terminal) => new("keys", "Replace the keys of personal data that are lost for good")
    {
        new KeysReplaceCommand(terminal),
    };

    private static Command NewMasterKey(Terminal terminal) => new("master-key", "Make the master key of personal data, or replace it")
    {
        new MasterKeyNewCommand(terminal),
        new MasterKeyReplaceCommand(terminal),
    };

    private static Command NewProof(Terminal terminal) =>
        new("proof", "Keep the proof of a store's history: build its tree, make a key, write checkpoints")
        {
            new ProofBuildCommand(terminal),
            new ProofKeyCommand(terminal),
            new ProofCheckpointCommand(terminal),
        };
}
