using System.Globalization;
using Opossum.Maintenance;

namespace Opossum.PowerCuts;

/// <summary>
/// Reads the states that a cut left, has them brought up to date, and compares them with what the events that are left make of them.
/// </summary>
internal sealed class ProjectionChecker(bool flush, string folder)
{
    private readonly List<string> problems = [];

    /// <summary>Ends with 0 when every state is exact and none that was read has gone back; says what is not so.</summary>
    public async Task<int> RunAsync(string acknowledged)
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }))
        {
            await CheckWhatIsLeftAsync(await store.ReadAsync(Query.All).ToListAsync(), acknowledged);
            // Where events were lost, others take their positions.
            await store.AppendAsync([.. Enumerable.Range(0,
                30).Select(static at => NewEvent.FromJson(Seats.TakenType, "{}", new Tag(Seats.Key, $"s{at}")))]);
            await CheckAllAsync(store, "brought up to date");
            await store.AppendAsync([.. Enumerable.Range(0,
                9).Select(static at => NewEvent.FromJson(Seats.FreedType, "{}", new Tag(Seats.Key, $"s{at}")))]);
            await CheckAllAsync(store, "brought up to date by the next");
        }
        var report = await StoreCheck.RunAsync(folder);
        if (!report.IsClean)
            problems.Add(report.ToString());
        foreach (var problem in problems.Take(5))
            Console.WriteLine(problem);
        return problems.Count == 0 ? 0 : 1;
    }

    // As a process reads them that may not write: nobody has looked at them yet.
    private async Task CheckWhatIsLeftAsync(List<SequencedEvent> events, string acknowledged)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder, ReadOnly = true });
        await using var runner = store.StartProjections([new Seats()]);
        var states = (await store.Projections.Get<Seat>().ReadAllAsync().ToListAsync()).ToDictionary(static state => state.Key);
        var covered = (await store.Projections["seats"].GetStatusAsync()).Position;
        Expect(covered <= events.Count, $"events up to {covered} are said to count, of {events.Count}");
        foreach (var (key, state) in states)
            Expect(Fold(events, state.Position).GetValueOrDefault(key) == state.State, $"{key} is left as {state.State} at {state.Position}");
        foreach (var key in Fold(events, covered).Keys)
            Expect(states.TryGetValue(key, out var state) || IsFreed(events, key, covered), $"{key} is not there although {covered} is covered");
        if (!flush)
            return;
        foreach (var line in File.ReadLines(acknowledged))
        {
            var words = line.Split(' ');
            var position = long.Parse(words[2], CultureInfo.InvariantCulture);
            Expect(states.TryGetValue(words[1], out var state)
                ? state.Position >= position
                : IsFreed(events, words[1], position), $"{words[1]} was read at {position}, and is at {state?.Position} now");
        }
    }

    private async Task CheckAllAsync(FileSystemEventStore store, string when)
    {
        var events = await store.ReadAsync(Query.All).ToListAsync();
        await using var runner = store.StartProjections([new Seats()], new ProjectionOptions { TakeOverInterval = TimeSpan.FromMilliseconds(20) });
        var seats = store.Projections.Get<Seat>();
        await seats.WaitForAsync(events.Count);
        var expected = Seats.Fold(events);
        var found = (await seats.ReadAllAsync().ToListAsync()).ToDictionary(static state => state.Key, static state => state.State);
        foreach (var key in expected.Keys.Union(found.Keys))
        {
            Expect(expected.GetValueOrDefault(key) == found.GetValueOrDefault(key),
                $"{when}, {key} is {found.GetValueOrDefault(key)} instead of {expected.GetValueOrDefault(key)}");
        }

        foreach (var tag in expected.Values.Select(Seats.TagOf).Distinct())
        {
            var keys = (await seats.FindAsync([tag]).ToListAsync()).Select(static state => state.Key).Order();
            Expect(keys.SequenceEqual(expected.Where(each => Seats.TagOf(each.Value) == tag).Select(static each => each.Key).Order()),
                $"{when}, others are found by {tag} than have it");
        }
    }

    private static Dictionary<string, Seat> Fold(List<SequencedEvent> events, long upTo) => Seats.Fold(events.Where(e => e.Position <= upTo));

    private static bool IsFreed(List<SequencedEvent> events, string key, long after) =>
        events.Exists(e => e.Position > after && e.Type == Seats.FreedType && e.Tags.Contains(new Tag(Seats.Key, key)));

    private void Expect(bool isRight, string problem)
    {
        if (!isRight)
            problems.Add(problem);
    }
}
