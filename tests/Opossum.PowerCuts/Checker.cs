using System.Globalization;
using System.Security.Cryptography;
using System.Text.Json;
using Opossum.Maintenance;
using Opossum.ProcessTests.Worker;
using Opossum.Storage.Folders;

namespace Opossum.PowerCuts;

/// <summary>Opens what a cut left as a program would, and looks for all that the victim was told and that its reader had seen.</summary>
internal sealed class Checker
{
    private readonly List<SequencedEvent> events;
    private readonly List<AppendedData> data;
    private readonly List<string> problems = [];

    private Checker(List<SequencedEvent> events)
    {
        this.events = events;
        data = events.ConvertAll(static e => JsonSerializer.Deserialize<AppendedData>(e.Json.Span)!);
    }

    /// <summary>Ends with 0 when all of it is there and the store is in order; says what is not.</summary>
    /// <param name="layout">The store.</param>
    /// <param name="acknowledged">A file with what the victim said.</param>
    /// <param name="mayBeSealed">Whether folders may be sealed, or sealing them may be unfinished.</param>
    public static async Task<int> RunAsync(StoreLayout layout, string acknowledged, bool mayBeSealed = false)
    {
        List<string> problems;
        await using (var store = Stores.Open(layout))
        {
            var checker = new Checker(await store.ReadAsync(Query.All).ToListAsync());
            problems = checker.problems;
            checker.CheckPositions();
            foreach (var line in File.ReadLines(acknowledged).Where(static line => !line.StartsWith(Victim.Filed, StringComparison.Ordinal)))
                checker.CheckAcknowledged(line);
            checker.CheckAppends();
            await checker.CheckQueriesAsync(store);
            await checker.CheckConditionsAsync(store);
        }
        var report = Stores.Check(layout);
        if (!report.IsClean && !(mayBeSealed && report.Findings.All(static each => each.Kind == FindingKind.UnfinishedSealing)))
            problems.Add(report.ToString());
        if (mayBeSealed)
            await CheckSealingAsync(layout, acknowledged, problems);
        foreach (var problem in problems.Take(5))
            Console.WriteLine(problem);
        return problems.Count == 0 ? 0 : 1;
    }

    // Sealing can be finished, and unsealing gives each event file as it was after its append.
    private static async Task CheckSealingAsync(StoreLayout layout, string acknowledged, List<string> problems)
    {
        Stores.Seal(layout);
        AddFindings("sealed");
        Stores.Unseal(layout);
        AddFindings("unsealed");
        foreach (var words in File.ReadLines(acknowledged).Select(static line => line.Split(' ')).Where(static words => words[0] == Victim.Filed))
        {
            var path = layout.EventFile(long.Parse(words[1], CultureInfo.InvariantCulture));
            if (!File.Exists(path) || Convert.ToHexString(SHA256.HashData(await File.ReadAllBytesAsync(path))) != words[2])
                problems.Add($"{path} is not the file that it was after its append");
        }

        void AddFindings(string what)
        {
            var report = Stores.Check(layout);
            if (!report.IsClean)
                problems.Add($"{what}: {report}");
        }
    }

    private void CheckPositions()
    {
        for (var at = 0; at < events.Count; at++)
            Expect(events[at].Position == at + 1, $"position {events[at].Position} follows on {at}");
    }

    private void CheckAcknowledged(string line)
    {
        var words = line.Split(' ');
        var first = int.Parse(words[1], CultureInfo.InvariantCulture);
        for (var position = first; position < first + words.Length - 2; position++)
        {
            var id = Guid.Parse(words[position - first + 2]);
            Expect(position <= events.Count
                && events[position - 1].Id == id, $"{words[0]} at {position}, but lost: {id}; the store ends at {events.Count}");
        }
    }

    // All or nothing, and no append's condition is violated: each continues from its appender's last.
    private void CheckAppends()
    {
        var last = new Dictionary<Tag, long>();
        for (var at = 0; at < events.Count; at += data[at].Of)
        {
            var (first, appender) = (data[at], events[at].Tags[0]);
            var whole = Enumerable.Range(0, first.Of).Select(within => (first with { At = within }, appender));
            Expect(whole.SequenceEqual(Enumerable.Range(at,
                Math.Min(first.Of, events.Count - at)).Select(each => (data[each], events[each].Tags[0]))), $"the append at {at + 1} is not whole");
            Expect(first.Previous == last.GetValueOrDefault(appender), $"the append at {at + 1} violates its condition");
            last[appender] = at + first.Of;
        }
    }

    private async Task CheckQueriesAsync(FileSystemEventStore store)
    {
        var tags = events.Select(static e => e.Tags[0]).Distinct().Select(static tag => Query.FromTags(tag));
        var types = events.Select(static e => e.Type).Distinct().Select(static type => Query.FromEventTypes(type));
        foreach (var query in tags.Concat(types))
        {
            var found = await store.ReadAsync(query).Select(static e => (e.Position, e.Id)).ToListAsync();
            Expect(found.SequenceEqual(events.Where(query.Matches).Select(static e => (e.Position, e.Id))),
                $"a read of {query} differs from a full read");
        }
    }

    private async Task CheckConditionsAsync(FileSystemEventStore store)
    {
        var news = NewEvent.FromJson("checked", "{}");
        if (events.Count > 0)
        {
            var query = Query.FromTags(events[^1].Tags[0]);
            try
            {
                await store.AppendAsync(news, new AppendCondition(query, events.Count - 1));
                problems.Add("an append was not rejected although the last event matches its condition");
            }
            catch (AppendConditionFailedException e)
            {
                Expect(e.ConflictingPosition == events.Count, $"the conflict is at {events.Count}, not at {e.ConflictingPosition}");
            }
        }
        var appended = await store.AppendAsync(news, new AppendCondition(Query.All, events.Count));
        Expect(appended.FirstPosition == events.Count + 1, $"the next append went to {appended.FirstPosition}, behind {events.Count}");
    }

    private void Expect(bool isRight, string problem)
    {
        if (!isRight)
            problems.Add(problem);
    }
}
