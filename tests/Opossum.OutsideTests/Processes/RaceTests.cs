namespace Opossum.ProcessTests;

public sealed class RaceTests
{
    private static readonly int rounds = LongTests.Number(6, 20);

    [Theory]
    [InlineData(2, "take if free")]
    [InlineData(2, "take if free since")]
    [InlineData(5, "take if free since")]
    public async Task Of_those_who_take_the_same_seat_one_gets_it(int racers, string order)
    {
        LongTests.SkipUnless(order == "take if free since" && racers == 2);
        using var folder = new StoreFolder();
        var workers = await WorkerProcess.StartReadyAsync(racers, "race", folder.Path);
        for (var round = 0; round < rounds; round++)
        {
            await AskAsync(workers, $"A{round}", "free at ");
            var told = await AskAsync(workers, order, "");
            var winner = Assert.Single(told, static line => line.StartsWith("taken at ", StringComparison.Ordinal))["taken at ".Length..];
            Assert.Equal(racers - 1, told.Count(line => line == $"lost to {winner}"));
            Assert.Equal($"{round + 1}", winner);
        }
        foreach (var worker in workers)
            worker.Dispose();
        Assert.Equal(rounds, (await folder.ReadAllAsync()).Count);
        await folder.CheckAsync();
    }

    private static async Task<string[]> AskAsync(WorkerProcess[] workers, string question, string answer)
    {
        foreach (var worker in workers)
            worker.Say(question);
        return await Task.WhenAll(workers.Select(worker => worker.HearAsync(answer)));
    }
}
