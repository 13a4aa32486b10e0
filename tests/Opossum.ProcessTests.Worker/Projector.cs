namespace Opossum.ProcessTests.Worker;

/// <summary>Runs projections until the test is done with it, and says up to where they have come.</summary>
internal static class Projector
{
    public static async Task RunAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        await using var runner = store.StartProjections([new SeatCounts("seats"), new SeatCounts("seats-again")], Options);
        Lines.Say("ready");
        while (Lines.Hear() is { } line)
        {
            await store.Projections.Get<SeatCount>("seats").WaitForAsync(long.Parse(line));
            await store.Projections.Get<SeatCount>("seats-again").WaitForAsync(long.Parse(line));
            Lines.Say("there");
        }
    }

    public static ProjectionOptions Options { get; } =
        new()
        {
            TakeOverInterval = TimeSpan.FromMilliseconds(20),
            WriteInterval = TimeSpan.FromMilliseconds(10),
            PollInterval = TimeSpan.FromMilliseconds(10),
            MaxCachedStates = 20
        };
}
