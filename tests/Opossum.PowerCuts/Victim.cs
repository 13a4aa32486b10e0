using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Opossum.ProcessTests.Worker;
using Opossum.Storage.Folders;

namespace Opossum.PowerCuts;

/// <summary>Appends until it is killed, and says on a line of its own what was acknowledged and what a reader of its own store has seen.</summary>
internal static class Victim
{
    /// <summary>"appended", the first position, the ids.</summary>
    public const string Appended = "appended";

    /// <summary>"seen", the position, the id.</summary>
    public const string Seen = "seen";

    /// <summary>"filed", the position, the hash of the event's file.</summary>
    public const string Filed = "filed";

    public const string Sealing = "sealing";
    public const string SealingWithJournal = "sealing-journal";
    public const string FullJournal = "journal-full";

    private const string Beside = "groups-beside";

    // The disk stays full for longer than event files are written after an append.
    private static readonly TimeSpan fullTime = TimeSpan.FromMilliseconds(900);
    private static readonly TimeSpan freeTime = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan retryTime = TimeSpan.FromMilliseconds(20);

    // With it the groups of some milliseconds fill a file of the journal.
    private static readonly string longText = new('ö', 4_000);

    private static readonly Stream output = Console.OpenStandardOutput();

    public static async Task<int> RunAsync(string how, StoreLayout layout)
    {
        var (appenders, events, useJournal) = how switch
        {
            "lone" => (1, 1, false),
            "groups" or Beside => (16, 1, false),
            "several" => (4, 20, false),
            "journal" => (1, 1, true),
            "journal-groups" or "journal-turns" or FullJournal => (16, 1, true),
            Sealing => (4, 3, false),
            SealingWithJournal => (4, 3, true),
            _ => throw new ArgumentException(how),
        };
        var text = how == "journal-turns" ? longText : "öffentlich";
        var options = new OpossumOptions { UseJournal = useJournal };
        await using var readersStore = Stores.Open(layout, options);
        await using var store = how == FullJournal ? null : Stores.Open(layout, options);
        List<Task> all = [store is null ? AppendOnFullDiskAsync() : AppendAllAsync(store), SayWhatIsSeenAsync(readersStore)];
        if (how is Sealing or SealingWithJournal)
            all.Add(Task.Run(() => Seal(layout)));
        if (how == Beside)
            all.AddRange(Enumerable.Range(0, 2).Select(each => Task.Run(() => FlushBeside(Path.Combine(layout.Root, "..", $"other-{each}")))));
        if (how == FullJournal)
            all.Add(FillDiskAsync(Path.GetDirectoryName(layout.Root)!));
        // None of them ends well.
        await await Task.WhenAny(all);
        return 1;

        // Ends with the first that fails.
        async Task AppendAllAsync(FileSystemEventStore store) => await await Task.WhenAny(Enumerable.Range(0, appenders).Select(each =>
            AppendAsync(store, new Tag("appender", $"{each}"), events, text, how == FullJournal, AfterAppend())));

        // On a file system that copies on write, a full disk can refuse a flush, and then the store has to be opened again.
        async Task AppendOnFullDiskAsync()
        {
            while (true)
            {
                try
                {
                    await using var store = Stores.Open(layout, options);
                    await AppendAllAsync(store);
                }
                catch (EventStoreException)
                {
                    await Task.Delay(retryTime);
                }
            }
        }

        Action<long>? AfterAppend() => how == Sealing ? position => SayFile(layout, position) : null;
    }

    private static async Task AppendAsync(FileSystemEventStore store, Tag appender, int count, string text, bool mayBeFull,
        Action<long>? afterAppend)
    {
        var previous = await LastAsync(store, appender);
        while (true)
        {
            var news = Enumerable.Range(0, count)
                .Select(at => NewEvent.FromJson(at % 2 == 0 ? "even" : "odd",
                JsonSerializer.Serialize(new AppendedData(at, count, previous, text)), appender))
                .ToArray();
            AppendResult appended;
            try
            {
                appended = await store.AppendAsync(news, new AppendCondition(Query.FromTags(appender), previous));
            }
            catch (StoreIOException) when (mayBeFull)
            {
                // Nothing was written.
                await Task.Delay(retryTime);
                continue;
            }
            Say($"{Appended} {appended.FirstPosition} {string.Join(' ', news.Select(each => each.Id))}");
            afterAppend?.Invoke(appended.FirstPosition);
            previous = appended.LastPosition;
        }
    }

    private static async Task<long> LastAsync(FileSystemEventStore store, Tag appender)
    {
        var last = await store.ReadAsync(Query.FromTags(appender), new ReadOptions { Backwards = true, Limit = 1 }).FirstOrDefaultAsync();
        return last?.Position ?? 0;
    }

    private static void Seal(StoreLayout layout)
    {
        var random = new Random();
        while (true)
        {
            Stores.Seal(layout, keepNewest: random.Next(1, 4));
            var first = random.Next(1, 1_000);
            Stores.Unseal(layout, first, first + random.Next(200));
        }
    }

    // As another program does.
    private static void FlushBeside(string path)
    {
        using var file = File.OpenHandle(path, FileMode.Create, FileAccess.Write);
        var (bytes, random) = (new byte[300], new Random());
        while (true)
        {
            RandomAccess.Write(file, bytes, random.Next(8) * 4_096);
            RandomAccess.FlushToDisk(file);
        }
    }

    private static async Task FillDiskAsync(string disk)
    {
        var ballast = new Ballast(disk);
        while (true)
        {
            await Task.Delay(freeTime);
            ballast.Make();
            await Task.Delay(fullTime);
            ballast.Remove();
        }
    }

    // Where the event is sealed by now, or is being unsealed again, there is nothing to say.
    private static void SayFile(StoreLayout layout, long position)
    {
        try
        {
            var bytes = File.ReadAllBytes(layout.EventFile(position));
            if (bytes.Length > 0)
                Say($"{Filed} {position} {Convert.ToHexString(SHA256.HashData(bytes))}");
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
        }
    }

    private static async Task SayWhatIsSeenAsync(FileSystemEventStore store)
    {
        await foreach (var e in store.SubscribeAsync(Query.All))
            Say($"{Seen} {e.Position} {e.Id}");
    }

    // One write a line: a line that waits in a buffer would count as not acknowledged.
    private static void Say(string line)
    {
        var bytes = Encoding.ASCII.GetBytes(line + '\n');
        lock (output)
            output.Write(bytes);
    }
}
