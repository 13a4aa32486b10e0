using System.Diagnostics;

namespace Opossum.Benchmarks;

/// <summary>
/// Many clients take the seats of one course, one at a time, until none is left: each decides on the same tag and on its own student.
/// </summary>
internal static class SeatRace
{
    /// <summary>The time that each seat took its client, in microseconds, and how many clients gave up while there were seats.</summary>
    public static async Task<(List<double> Microseconds, int GaveUp)> RunAsync(string path, int clients, int seats)
    {
        var options = new OpossumOptions { Path = path };
        options.EventTypes.Add<SeatTaken>();
        await using var store = await FileSystemEventStore.OpenAsync(options);
        var races = await Task.WhenAll(Enumerable.Range(0, clients).Select(client => Task.Run(() => TakeSeatsAsync(store, client, seats))));
        var head = await store.GetHeadAsync();
        if (head > seats || (head < seats && races.All(static race => !race.GaveUp)))
            throw new InvalidOperationException($"{head} of {seats} seats are taken.");
        return ([.. races.SelectMany(static race => race.Microseconds)], races.Count(static race => race.GaveUp));
    }

    private static async Task<(List<double> Microseconds, bool GaveUp)> TakeSeatsAsync(FileSystemEventStore store, int client, int seats)
    {
        var times = new List<double>();
        for (var number = 0; ; number++)
        {
            var student = $"{client}-{number}";
            var taken = DecisionProjection.Create(0, new Tag("course", "c1")).On<SeatTaken>(static (_, seat) => seat.Number).LastEventOnly();
            var courses = DecisionProjection.Create(0, new Tag("student", student)).On<SeatTaken>(static (count, _) => count + 1);
            var started = Stopwatch.GetTimestamp();
            try
            {
                var result = await store.ExecuteDecisionAsync(
                    DecisionProjection.Combine(taken, courses),
                    state => state.Item1 < seats ? [new NewEvent(new SeatTaken("c1", student, state.Item1 + 1))] : []);
                if (result.Appended is null)
                    return (times, false);
            }
            catch (AppendConditionFailedException)
            {
                return (times, true);
            }
            times.Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds);
        }
    }
}
