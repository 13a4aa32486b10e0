using System.Text.Json;
using Opossum.Storage.Folders;

namespace Opossum.ProcessTests.Worker;

/// <summary>Appends one to five events at a time, a few appends at once, under random conditions, and says how each ended.</summary>
internal sealed class RandomWriter(FileSystemEventStore store, string name, int seed)
{
    public const string Opening = "opening";

    private const int AppendsAtOnce = 3;

    private static readonly string[] types = ["reserved", "freed", "sold"];
    private static readonly string[] tags = ["seat:1", "seat:2", "seat:3", "seat:4", "row:1", "row:2", "näme:Ünï 😀"];

    private Exception? failure;

    public static async Task RunAsync(StoreLayout layout, string name, int seed, int attempts, bool useJournal)
    {
        Lines.EndWithTheTest();
        Lines.Say(Opening);
        // Some flush in the background: they and the others have to understand each other about what is durable.
        await using var store =
            Stores.Open(layout, new OpossumOptions
            {
                FlushEventsImmediately = useJournal || seed % 3 != 0,
                UseJournal = useJournal,
            });
        var writer = new RandomWriter(store, name, seed);
        await Parallel.ForAsync(0, attempts, new ParallelOptions { MaxDegreeOfParallelism = AppendsAtOnce }, async (attempt, _) =>
        {
            if (writer.failure is null)
                Lines.Say(JsonSerializer.Serialize(await writer.AppendAsync(attempt)));
        });
        // The store has to be opened again: by another process.
        if (writer.failure is { } failure)
            throw new InvalidOperationException("An append failed.", failure);
    }

    /// <summary>Makes one of its appends; each has a number of its own.</summary>
    public async Task<Answer> AppendAsync(int attempt)
    {
        var random = new Random(unchecked((seed * 7919) + attempt));
        var belief = await ReadAsync(RandomItems(random));
        var guard = RandomGuard(random, belief, attempt);
        var count = random.Next(1, 6);
        var events = Enumerable.Range(0, count).Select(at => Event(random, new WrittenEvent(name, attempt, at, count, guard, belief))).ToArray();
        try
        {
            return new Answer(name, attempt, guard, await store.AppendAsync(events, guard?.ToCondition()), 0, 0);
        }
        catch (AppendConditionFailedException e)
        {
            return new Answer(name, attempt, guard, null, e.ConflictingPosition, e.Head);
        }
        catch (EventStoreException e)
        {
            failure = e;
            return new Answer(name, attempt, guard, null, 0, 0, (e as StoreFaultedException)?.Outcome ?? AppendOutcome.NothingWritten);
        }
    }

    private async Task<Belief> ReadAsync(GuardItem[] items)
    {
        var stream = store.ReadAsync(new Guard(items, null).ToQuery());
        var matches = 0;
        var last = 0L;
        await foreach (var e in stream)
        {
            matches++;
            last = e.Position;
        }
        return new Belief(items, stream.Head, matches, last);
    }

    private Guard? RandomGuard(Random random, Belief belief, int attempt) => random.Next(10) switch
    {
        0 => null,
        1 => new Guard(belief.Items, null),
        2 => new Guard([new GuardItem([], [$"{WrittenEvent.AppendKey}:{name}/{attempt}"])], null),
        3 => new Guard(belief.Items, belief.Head + random.Next(1, 4)),
        4 => new Guard(belief.Items, Math.Max(0, belief.Head - random.Next(1, 6))),
        _ => new Guard(belief.Items, belief.Head),
    };

    private static GuardItem[] RandomItems(Random random)
    {
        if (random.Next(8) == 0)
            return [];
        return [.. Enumerable.Range(0, random.Next(1, 3)).Select(_ => random.Next(3) switch
        {
            0 => new GuardItem(RandomSome(random, types, 2), []),
            1 => new GuardItem([], RandomSome(random, tags, 2)),
            _ => new GuardItem(RandomSome(random, types, 1), RandomSome(random, tags, 1)),
        })];
    }

    private static NewEvent Event(Random random, WrittenEvent content) => NewEvent.FromJson(
        types[random.Next(types.Length)],
        JsonSerializer.Serialize(content),
        [content.AppendTag, .. RandomSome(random, tags, 3).Select(Tag.Parse)]);

    private static string[] RandomSome(Random random, string[] from, int max) => random.GetItems(from, random.Next(1, max + 1)).Distinct().ToArray();
}
