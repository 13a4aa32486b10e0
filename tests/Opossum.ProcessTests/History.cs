using System.Text;
using System.Text.Json;
using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

/// <summary>What random writers left in a store, judged by what the events record and what the writers were told.</summary>
internal sealed class History
{
    private readonly List<SequencedEvent> events;
    private readonly List<WrittenEvent> written;
    private readonly Dictionary<(string Writer, int Attempt), long> appends = [];

    private History(List<SequencedEvent> events)
    {
        this.events = events;
        written = events.ConvertAll(static e => JsonSerializer.Deserialize<WrittenEvent>(e.Json.Span)!);
    }

    /// <summary>Asserts that the store holds a history that the rules allow and the writers were told of.</summary>
    public static async Task ProveAsync(StoreFolder folder, List<Answer> answers, ITestOutputHelper output)
    {
        // Opening comes first: it settles what the last process that was killed left.
        var events = await folder.ReadAllAsync();
        await folder.CheckAsync();
        var history = new History(events);
        history.JudgePositions();
        history.JudgeAppends();
        history.JudgeGuardsAndBeliefs();
        answers.ForEach(history.JudgeAnswer);
        await history.JudgeReadsAsync(folder);
        await history.JudgeRebuildAsync(folder);
        await folder.CheckAsync();
        var untold = history.appends.Count - answers.Count(static answer => answer.Appended is not null);
        output.WriteLine($"{events.Count} events of {history.appends.Count} appends ({untold} whose writer was killed before it said so), {answers.Count(static answer => answer.Appended is null)} refused, {SetAside(folder)} files set aside");
    }

    private void JudgePositions() => Assert.Equal(Enumerable.Range(1, events.Count).Select(static at => (long)at), events.Select(static e => e.Position));

    // All or nothing: the events of an append follow each other, none is missing, and each append is there once.
    private void JudgeAppends()
    {
        for (var at = 0; at < events.Count; at += written[at].Of)
        {
            var first = written[at];
            Assert.True(appends.TryAdd((first.Writer, first.Attempt), at + 1), $"The append at {at + 1} is there twice: {first}");
            for (var within = 0; within < first.Of; within++)
            {
                Assert.True(at + within < events.Count, $"The append at {at + 1} ends before its end: {first}");
                var next = written[at + within];
                Assert.Equal((first.Writer, first.Attempt, within, first.Of), (next.Writer, next.Attempt, next.At, next.Of));
            }
        }
    }

    private void JudgeGuardsAndBeliefs()
    {
        foreach (var first in appends.Values)
        {
            var record = written[(int)first - 1];
            if (record.Guard is { } guard)
                Assert.True(FirstMatch(guard, upTo: first - 1) == 0, $"The append at {first} violates its condition by {FirstMatch(guard, first - 1)}: {Json(events[(int)first - 1])}");
            var belief = record.Belief;
            var query = new Guard(belief.Items, null).ToQuery();
            var believed = events.Where(e => e.Position <= belief.Head && query.Matches(e)).ToArray();
            Assert.InRange(belief.Head, 0, first - 1);
            Assert.Equal((belief.Matches, belief.LastMatch), (believed.Length, believed.LastOrDefault()?.Position ?? 0));
        }
    }

    private void JudgeAnswer(Answer answer)
    {
        if (answer.Appended is { } told)
        {
            Assert.True(appends.TryGetValue((answer.Writer, answer.Attempt), out var first), $"An append that was acknowledged is missing: {answer}");
            Assert.Equal(told, new AppendResult(first, first + written[(int)first - 1].Of - 1));
            return;
        }
        Assert.False(appends.ContainsKey((answer.Writer, answer.Attempt)), $"An append that was refused is there: {answer}");
        // A head may count appends before it in its group; but what it was refused for has to be there.
        Assert.InRange(answer.Head, answer.Conflict, events.Count);
        Assert.Equal(answer.Conflict, FirstMatch(answer.Guard!, upTo: answer.Head));
    }

    private long FirstMatch(Guard guard, long upTo)
    {
        var query = guard.ToQuery();
        for (var position = (guard.After ?? 0) + 1; position <= upTo; position++)
        {
            if (query.Matches(events[(int)position - 1]))
                return position;
        }
        return 0;
    }

    private async Task JudgeReadsAsync(StoreFolder folder)
    {
        await using var store = await folder.OpenAsync();
        foreach (var tag in events.SelectMany(static e => e.Tags).Distinct().Take(200))
            await JudgeReadAsync(store, Query.FromTags(tag));
        foreach (var type in events.Select(static e => e.Type).Distinct())
            await JudgeReadAsync(store, Query.FromEventTypes(type));
    }

    private async Task JudgeReadAsync(FileSystemEventStore store, Query query) =>
        Assert.Equal(events.Where(query.Matches).Select(Text), (await store.ReadAsync(query).ToListAsync()).Select(Text));

    private async Task JudgeRebuildAsync(StoreFolder folder)
    {
        Directory.Delete(folder.Layout.Index, recursive: true);
        Assert.Equal(events.Select(Text), (await folder.ReadAllAsync()).Select(Text));
    }

    private static string Text(SequencedEvent e) => $"{e.Position} {e.Id} {e.Type} {string.Join(' ', e.Tags)} {e.Timestamp:O} {Json(e)}";

    private static string Json(SequencedEvent e) => Encoding.UTF8.GetString(e.Json.Span);

    private static int SetAside(StoreFolder folder) => Directory.Exists(folder.Layout.Quarantine) ? Directory.GetFiles(folder.Layout.Quarantine, "*", SearchOption.AllDirectories).Length : 0;
}
