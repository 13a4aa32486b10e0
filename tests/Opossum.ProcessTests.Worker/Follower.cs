using System.Text.Json;
using Opossum.Storage.Folders;

namespace Opossum.ProcessTests.Worker;

/// <summary>Reads on and on while others write, and fails when a read shows a gap, a part of an append, or lacks an event seen before.</summary>
internal sealed class Follower(FileSystemEventStore store)
{
    private readonly Random random = new(1);
    private readonly List<Guid> seen = [];
    private readonly List<WrittenEvent> appends = [];

    public static async Task RunAsync(StoreLayout layout)
    {
        await using var store = Stores.Open(layout);
        Lines.Say("ready");
        var follower = new Follower(store);
        var until = Task.Run(Lines.Hear);
        while (!until.IsCompleted || follower.seen.Count < long.Parse(until.Result!))
        {
            var before = follower.seen.Count;
            await follower.ReadAsync();
            await follower.ReadAppendAsync();
            if (follower.seen.Count > before)
                Lines.Say($"head {follower.seen.Count}");
            // The others need the processor more.
            await Task.Delay(1);
        }
        foreach (var id in follower.seen)
            Lines.Say($"saw {id}");
    }

    private async Task ReadAsync()
    {
        // Mostly what is new, sometimes what was seen before too.
        var from = random.Next(4) == 0 ? random.Next(seen.Count) + 1 : seen.Count + 1;
        var next = (long)from;
        WrittenEvent? last = null;
        var stream = store.ReadAsync(Query.All, new ReadOptions { After = from - 1 });
        await foreach (var e in stream)
        {
            Judge(e.Position == next, $"The read from {from} gave {e.Position} where {next} was due.");
            last = JsonSerializer.Deserialize<WrittenEvent>(e.Json.Span)!;
            Take(e, last);
            next++;
        }
        Judge(next == stream.Head + 1 || next == from, $"The read from {from} ended before {next}, but its head is {stream.Head}.");
        Judge(stream.Head >= seen.Count, $"The head went back to {stream.Head}, but {seen.Count} events were seen.");
        Judge(last is null || last.At == last.Of - 1, $"The read ended inside an append: {last}.");
    }

    private void Take(SequencedEvent e, WrittenEvent written)
    {
        if (e.Position <= seen.Count)
        {
            Judge(seen[(int)e.Position - 1] == e.Id, $"Another event is at {e.Position} than before.");
            return;
        }
        seen.Add(e.Id);
        if (written.At == 0)
            appends.Add(written);
    }

    private async Task ReadAppendAsync()
    {
        if (appends.Count == 0)
            return;
        var append = appends[random.Next(2) == 0 ? appends.Count - 1 : random.Next(appends.Count)];
        var found = 0;
        await foreach (var e in store.ReadAsync(Query.FromTags(append.AppendTag)))
            found++;
        Judge(found == append.Of, $"By its tag {found} of {append.Of} events of an append were found.");
    }

    private static void Judge(bool isRight, string problem)
    {
        if (!isRight)
            throw new InvalidOperationException(problem);
    }
}
