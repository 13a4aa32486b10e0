using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

public sealed class KilledWriterTests(ITestOutputHelper output)
{
    // OPOSSUM_TEST_ALL=1: more of everything.
    private static readonly bool isLong = Environment.GetEnvironmentVariable("OPOSSUM_TEST_ALL") == "1";

    [Fact]
    public async Task Random_appends_of_processes_some_of_which_are_killed_leave_a_history_that_proves_itself()
    {
        // A usual run has a process without a journal in KilledJournalTests.
        LongTests.SkipUnless(isLong);
        using var folder = new StoreFolder(shardPositions: 20);
        var crew = new Crew(folder, Seed.Choose(output), processes: isLong ? 8 : 5, attemptsEach: 80)
        {
            Kills = isLong ? 16 : 8,
            KillsAtOpening = isLong ? 4 : 2,
        };
        var answers = await crew.RunAsync();
        output.WriteLine(await History.ProveAsync(folder.Layout, answers));
        output.WriteLine($"{crew.Killed} processes were killed while appending, {crew.KilledAtOpening} while opening");
    }

    [Fact]
    public async Task The_index_may_be_deleted_while_processes_append()
    {
        LongTests.SkipUnlessAsked();
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows keeps the names of open files");
        using var folder = new StoreFolder();
        var crew = new Crew(folder, Seed.Choose(output), processes: 3, attemptsEach: 120)
        {
            Kills = 2,
            Meanwhile = () => Array.ForEach(Directory.GetFiles(folder.Layout.Index), File.Delete),
        };
        output.WriteLine(await History.ProveAsync(folder.Path, await crew.RunAsync()));
    }
}
