using Opossum.Maintenance;
using Opossum.ProcessTests.Worker;
using Opossum.Storage.Folders;

namespace Opossum.ProcessTests;

/// <summary>Real processes append, read and follow while others seal and unseal and are killed.</summary>
public sealed class KilledSealerTests(ITestOutputHelper output)
{
    private const int KillsMin = 12;

    // Of a folder.
    private const int Positions = 20;

    // OPOSSUM_TEST_ALL=1: for minutes.
    private static readonly int rounds = Environment.GetEnvironmentVariable("OPOSSUM_TEST_ALL") == "1" ? 60 : 1;

    [Fact]
    public async Task Processes_that_seal_and_unseal_are_killed_at_any_moment_and_no_event_is_lost()
    {
        LongTests.SkipUnlessAsked();
        var seed = Seed.Choose(output);
        for (var round = 0; round < rounds; round++)
            await KillAsync(seed + round);
    }

    private async Task KillAsync(int seed)
    {
        var random = new Random(seed);
        using var folder = new StoreFolder(Positions);
        var first = await AppendAsync(folder, "first", seed, upTo: 6 * Positions);
        var before = EventFiles(folder);
        using var follower = (await WorkerProcess.StartReadyAsync(1, folder.Role("follow")))[0];
        var crew = new Crew(folder, seed, processes: 3, attemptsEach: 100) { Kills = 3, PlacesWithJournal = 1 };

        var appending = crew.RunAsync();
        var killed = 0;
        while (!appending.IsCompleted || killed < KillsMin)
        {
            await SealUntilKilledAsync(folder, random);
            killed++;
        }

        List<Answer> answers = [.. first, .. await appending];
        // Only what is known to be durable is sealed: this makes what a killed process has not flushed so.
        answers.AddRange(await AppendAsync(folder, "last", seed, upTo: (await folder.ReadAllAsync()).Count + 1));
        var events = await folder.ReadAllAsync();
        follower.Say($"{events.Count}");
        while (await follower.HearOrEndAsync() is not null)
        {
        }
        await follower.EndAsync();
        var report = Stores.Check(folder.Layout);
        Assert.All(report.Findings, static finding => Assert.True(finding.Kind == FindingKind.UnfinishedSealing, $"{finding}"));

        Stores.Seal(folder.Layout);
        Assert.Equal(folder.Layout.ShardOf(events.Count) / Positions, SealedFiles(folder).Length);
        Assert.All(EventFiles(folder).Keys, position => Assert.True(position >= folder.Layout.ShardOf(events.Count)));
        output.WriteLine(await History.ProveAsync(folder.Layout, answers));

        Stores.Unseal(folder.Layout);
        await folder.CheckAsync();
        Assert.Empty(SealedFiles(folder));
        var after = EventFiles(folder);
        Assert.Equal(events.Select(static e => e.Position), after.Keys);
        Assert.All(before, each => Assert.Equal(each.Value, after[each.Key]));
        Stores.Seal(folder.Layout);
        Stores.Unseal(folder.Layout);
        Assert.Equal(after, EventFiles(folder));
        output.WriteLine($"{killed} processes were killed while sealing or unsealing, {crew.Killed} while appending; "
            + $"{report.Findings.Count} folders were left");
    }

    // At one of the changes that it makes, or at whatever moment it is when the test has heard of a step.
    private static async Task SealUntilKilledAsync(StoreFolder folder, Random random)
    {
        var (changes, steps) = random.Next(2) == 0 ? (random.Next(1, 600), int.MaxValue) : (0, random.Next(1, 60));
        using var sealer = WorkerProcess.Start(folder.Role("seal", $"{random.Next()}", $"{changes}"));
        while (await sealer.HearOrEndAsync() is { } line)
        {
            if (line == HaltingWriter.Halted || --steps == 0)
                sealer.Kill();
        }
        await sealer.EndAsync();
        Assert.True(sealer.WasKilled);
    }

    private static async Task<List<Answer>> AppendAsync(StoreFolder folder, string name, int seed, int upTo)
    {
        await using var store = await folder.OpenAsync();
        var writer = new RandomWriter(store, name, seed);
        var answers = new List<Answer>();
        while (await store.GetHeadAsync() < upTo)
            answers.Add(await writer.AppendAsync(answers.Count));
        return answers;
    }

    // Of all folders, so that one left under another name is found too.
    private static SortedDictionary<long, string> EventFiles(StoreFolder folder)
    {
        var files = new SortedDictionary<long, string>();
        foreach (var shard in Directory.GetDirectories(folder.Layout.Events))
        {
            foreach (var path in Directory.GetFiles(shard))
            {
                Assert.True(StoreLayout.TryParseEventFileName(Path.GetFileName(path), out var position), path);
                files.Add(position, Convert.ToBase64String(File.ReadAllBytes(path)));
            }
        }
        return files;
    }

    private static string[] SealedFiles(StoreFolder folder) => Directory.GetFiles(folder.Layout.Events, $"*{StoreLayout.SealedFileEnding}");
}
