using System.Text;

namespace Opossum.PowerCuts;

/// <summary>
/// Appends and keeps a projection until it is killed; builds its states again and gives the lead away now and then. Says on a line of its own what
/// a reader has got after it had waited for it.
/// </summary>
internal static class ProjectionVictim
{
    private const int Keys = 40;

    private static readonly Stream output = Console.OpenStandardOutput();

    /// <summary>"read", the key, the position, how often it was taken.</summary>
    public static async Task<int> RunAsync(bool flush, string folder)
    {
        var random = new Random();
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder, FlushEventsImmediately = flush });
        while (true)
        {
            await using var runner =
                store.StartProjections([new Seats()],
                    new ProjectionOptions
                    {
                        WriteInterval = TimeSpan.FromMilliseconds(random.Next(2) * 50),
                        TakeOverInterval = TimeSpan.FromMilliseconds(20)
                    });
            var seats = store.Projections.Get<Seat>();
            for (var rounds = random.Next(20, 200); rounds > 0; rounds--)
            {
                var appended = await store.AppendAsync([.. Enumerable.Range(0, random.Next(1, 6)).Select(_ => Event(random))]);
                if (random.Next(4) > 0)
                    continue;
                if (random.Next(60) == 0)
                    await store.Projections["seats"].RebuildAsync();
                await seats.WaitForAsync(appended.LastPosition);
                await foreach (var seat in seats.ReadAllAsync())
                    Say($"read {seat.Key} {seat.Position} {seat.State.Taken}");
            }
        }
    }

    private static NewEvent Event(Random random)
    {
        var seats = Enumerable.Range(0, random.Next(1, 4)).Select(_ => new Tag(Seats.Key, $"s{random.Next(Keys)}"));
        return NewEvent.FromJson(random.Next(12) == 0 ? Seats.FreedType : Seats.TakenType, "{}", [.. seats.Distinct()]);
    }

    // One write a line: a line that waits in a buffer would count as not said.
    private static void Say(string line) => output.Write(Encoding.ASCII.GetBytes(line + '\n'));
}
