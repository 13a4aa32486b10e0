using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

public sealed class FollowerTests(ITestOutputHelper output)
{
    [Fact]
    public async Task A_process_that_reads_while_others_write_and_die_sees_no_gap_no_part_of_an_append_and_nothing_vanish()
    {
        LongTests.SkipUnlessAsked();
        using var folder = new StoreFolder();
        using var follower = (await WorkerProcess.StartReadyAsync(1, "follow", folder.Path))[0];
        var crew = new Crew(folder, Seed.Choose(output), processes: 3, attemptsEach: 80) { Kills = 4 };
        var answers = await crew.RunAsync();
        var events = await folder.ReadAllAsync();
        follower.Say($"{events.Count}");
        var heads = 0;
        var seen = new List<string>();
        while (await follower.HearOrEndAsync() is { } line)
        {
            if (line.StartsWith("head ", StringComparison.Ordinal))
                heads++;
            else
                seen.Add(line);
        }
        await follower.EndAsync();
        Assert.Equal(events.Select(static e => $"saw {e.Id}"), seen);
        Assert.True(heads > 5, $"The follower met {heads} heads only: it did not read while others wrote.");
        output.WriteLine($"The follower met {heads} heads");
        output.WriteLine(await History.ProveAsync(folder.Path, answers));
    }
}
