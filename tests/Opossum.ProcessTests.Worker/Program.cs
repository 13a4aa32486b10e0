using System.Text.Json;
using Opossum.ProcessTests.Worker;
using Opossum.Storage.Folders;

// Folders of event files are as long as those of the test that started it.
var shardPositions = StoreLayout.ShardPositionsDefault;
if (args is [Stores.FolderLength, var positions, ..])
    (shardPositions, args) = (int.Parse(positions), args[2..]);

// The first argument says what this process is to be, the second is the store's folder; a role knows the others.
switch (args)
{
    case ["write", var path, var name, var seed, var attempts]:
        await RandomWriter.RunAsync(Layout(path), name, int.Parse(seed), int.Parse(attempts), useJournal: false);
        return;
    case ["write", var path, var name, var seed, var attempts, "journal"]:
        await RandomWriter.RunAsync(Layout(path), name, int.Parse(seed), int.Parse(attempts), useJournal: true);
        return;
    case ["prove", var path]:
        Lines.Say(await History.ProveAsync(Layout(path), Lines.HearAll().Select(static line => JsonSerializer.Deserialize<Answer>(line)!).ToArray()));
        return;
    case ["measure", var path]:
        await AppendRates.RunAsync(path);
        return;
    case ["race", var path]:
        await Racer.RunAsync(path);
        return;
    case ["follow", var path]:
        await Follower.RunAsync(Layout(path));
        return;
    case ["start", var path]:
        await Starter.RunAsync(path);
        return;
    case ["open"]:
        await Opener.RunAsync();
        return;
    case ["halt", var path, var place]:
        await HaltingWriter.RunAsync(path, Enum.Parse<HaltPlace>(place));
        return;
    case ["halt in backlog", var path, var place]:
        await HaltingWriter.RunWithJournalAsync(path, Enum.Parse<HaltPlace>(place));
        return;
    case ["seal", var path, var seed, var changes]:
        Sealer.Run(Layout(path), int.Parse(seed), int.Parse(changes));
        return;
    case ["turns", var path]:
        await TurnTaker.RunAsync(path);
        return;
    case ["block", var path]:
        await BlockedCallers.RunAsync(path);
        return;
    case ["project into database", var path, var database]:
        await DbProjector.RunAsync(path, database);
        return;
    case ["project", var path]:
        await Projector.RunAsync(path);
        return;
    case ["settle", var path, var record]:
        await Settling.RunAsync(path, record);
        return;
    case ["back up", var path, var target]:
        await BackupMaker.RunAsync(path, target);
        return;
    case ["follow", var path, var replica]:
        await ReplicaMaker.RunAsync(path, replica);
        return;
    case ["customers", var path, var masterKeyFile]:
        await CustomerDesk.RunAsync(path, masterKeyFile);
        return;
    default:
        throw new ArgumentException($"Unknown: {string.Join(' ', args)}");
}

StoreLayout Layout(string path) => new(path, shardPositions);
