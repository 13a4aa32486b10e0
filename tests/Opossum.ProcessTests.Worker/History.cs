using System.Text;
using System.Text.Json;
using Opossum.Storage.Folders;

namespace Opossum.ProcessTests.Worker;

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

    /// <summary>
    /// Makes sure that the store is in order and holds a history that the rules allow and the writers were told of; says what it is.
    /// </summary>
    /// <exception cref="InvalidOperationException">It is not so.</exception>
    public static async Task<string> ProveAsync(StoreLayout layout, IReadOnlyList<Answer> answers)
    {
        // Opening comes first: it settles what the last process that was killed left.
        var events = await ReadAllAsync(layout);
        Check(layout);
        var history = new History(events);
        history.JudgePositions();
        history.JudgeAppends();
        history.JudgeGuardsAndBeliefs();
        foreach (var answer in answers)
            history.JudgeAnswer(answer);
        await history.JudgeReadsAsync(layout);
        await history.JudgeRebuildAsync(layout);
        Check(layout);
        var (told, failed) = (answers.Count(static answer => answer.Appended is not null), answers.Count(static answer => answer.Failed is not null));
        return $"{events.Count} events of {history.appends.Count} appends ({history.appends.Count - told} whose writer was not told so), "
            + $"{answers.Count - told - failed} refused, {failed} failed, {SetAside(layout)} files set aside";
    }

    private void JudgePositions()
    {
        for (var at = 0; at < events.Count; at++)
            Judge(events[at].Position == at + 1, $"{events[at].Position} is where {at + 1} is due");
    }

    // All or nothing: the events of an append follow each other, none is missing, and each append is there once.
    private void JudgeAppends()
    {
        for (var at = 0; at < events.Count; at += written[at].Of)
        {
            var first = written[at];
            Judge(appends.TryAdd((first.Writer, first.Attempt), at + 1), $"the append at {at + 1} is there twice: {first}");
            for (var within = 0; within < first.Of; within++)
            {
                Judge(at + within < events.Count, $"the append at {at + 1} ends before its end: {first}");
                var next = written[at + within];
                Judge((next.Writer, next.Attempt, next.At, next.Of) == (first.Writer, first.Attempt, within, first.Of),
                    $"{next} is in the append at {at + 1}: {first}");
            }
        }
    }

    private void JudgeGuardsAndBeliefs()
    {
        foreach (var first in appends.Values)
        {
            var record = written[(int)first - 1];
            if (record.Guard is { } guard)
            {
                Judge(FirstMatch(guard, upTo: first - 1) == 0,
                    $"the append at {first} violates its condition by {FirstMatch(guard, first - 1)}: {Json(events[(int)first - 1])}");
            }

            var belief = record.Belief;
            var query = new Guard(belief.Items, null).ToQuery();
            var believed = events.Where(e => e.Position <= belief.Head && query.Matches(e)).ToArray();
            Judge(
                belief.Head < first && (belief.Matches, belief.LastMatch) == (believed.Length, believed.LastOrDefault()?.Position ?? 0),
                $"before the append at {first} its writer had read what is not so: {Json(events[(int)first - 1])}");
        }
    }

    private void JudgeAnswer(Answer answer)
    {
        var isThere = appends.TryGetValue((answer.Writer, answer.Attempt), out var first);
        if (answer.Appended is { } told)
        {
            Judge(isThere, $"an append that was acknowledged is missing among {events.Count} events: {answer}");
            Judge(told == new AppendResult
            {
                FirstPosition = first,
                LastPosition = first + written[(int)first - 1].Of - 1,
            },
                $"an append is at {first} that was told to be elsewhere: {answer}");
        }
        else if (answer.Failed is { } outcome)
        {
            Judge(outcome == AppendOutcome.Unknown
                || isThere == (outcome == AppendOutcome.Stored), $"the outcome of an append that failed is not so: {answer}");
        }
        else
        {
            Judge(!isThere, $"an append that was refused is there: {answer}");
            // A head may count appends before it in its group; but what it was refused for has to be there.
            Judge(answer.Head >= answer.Conflict && answer.Head <= events.Count, $"the head is not so: {answer}");
            Judge(answer.Conflict == FirstMatch(answer.Guard!, upTo: answer.Head), $"the conflict is not so: {answer}");
        }
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

    private async Task JudgeReadsAsync(StoreLayout layout)
    {
        await using var store = Open(layout);
        foreach (var tag in events.SelectMany(static e => e.Tags).Distinct().Take(200))
            await JudgeReadAsync(store, Query.FromTags(tag));
        foreach (var type in events.Select(static e => e.Type).Distinct())
            await JudgeReadAsync(store, Query.FromEventTypes(type));
    }

    private async Task JudgeReadAsync(FileSystemEventStore store, Query query) =>
        Judge(events.Where(query.Matches).Select(Text).SequenceEqual((await store.ReadAsync(query).ToListAsync()).Select(Text)),
            $"a read of {query} differs from a full read");

    private async Task JudgeRebuildAsync(StoreLayout layout)
    {
        Directory.Delete(layout.Index, recursive: true);
        Judge(events.Select(Text).SequenceEqual((await ReadAllAsync(layout)).Select(Text)), "an index that was built again gives other events");
    }

    private static FileSystemEventStore Open(StoreLayout layout) =>
        Stores.Open(layout, new OpossumOptions { CreateIfMissing = false });

    private static async Task<List<SequencedEvent>> ReadAllAsync(StoreLayout layout)
    {
        await using var store = Open(layout);
        return await store.ReadAsync(Query.All).ToListAsync();
    }

    private static void Check(StoreLayout layout)
    {
        var report = Stores.Check(layout);
        Judge(report.IsClean, report.ToString());
    }

    private static void Judge(bool isRight, string problem)
    {
        if (!isRight)
            throw new InvalidOperationException(problem);
    }

    private static string Text(SequencedEvent e) => $"{e.Position} {e.Id} {e.Type} {string.Join(' ', e.Tags)} {e.Timestamp:O} {Json(e)}";

    private static string Json(SequencedEvent e) => Encoding.UTF8.GetString(e.Json.Span);

    private static int SetAside(StoreLayout layout)
    {
        var quarantine = layout.Quarantine;
        return Directory.Exists(quarantine) ? Directory.GetFiles(quarantine, "*", SearchOption.AllDirectories).Length : 0;
    }
}
