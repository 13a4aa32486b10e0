using System.Text;
using System.Text.Json;

namespace Opossum.PowerCuts;

/// <summary>Appends until it is killed, and says on a line of its own what was acknowledged and what a reader of its own store has seen.</summary>
internal static class Victim
{
    /// <summary>"appended", the first position, the ids.</summary>
    public const string Appended = "appended";

    /// <summary>"seen", the position, the id.</summary>
    public const string Seen = "seen";

    private static readonly Stream output = Console.OpenStandardOutput();

    public static async Task<int> RunAsync(string how, string folder)
    {
        var (appenders, events, useJournal) = how switch
        {
            "lone" => (1, 1, false),
            "groups" => (16, 1, false),
            "several" => (4, 20, false),
            "journal" => (1, 1, true),
            "journal-groups" => (16, 1, true),
            _ => throw new ArgumentException(how),
        };
        var options = new OpossumOptions { Path = folder, UseJournal = useJournal };
        await using var store = await FileSystemEventStore.OpenAsync(options);
        await using var readersStore = await FileSystemEventStore.OpenAsync(options);
        var all =
            Enumerable.Range(0,
                appenders).Select(appender =>
                    AppendAsync(store, new Tag("appender", $"{appender}"), events)).Append(SayWhatIsSeenAsync(readersStore));
        // None of them ends well.
        await await Task.WhenAny(all);
        return 1;
    }

    private static async Task AppendAsync(FileSystemEventStore store, Tag appender, int count)
    {
        for (var previous = 0L; ;)
        {
            var news = Enumerable.Range(0, count)
                .Select(at => NewEvent.FromJson(at % 2 == 0 ? "even" : "odd",
                JsonSerializer.Serialize(new AppendedData(at, count, previous, "öffentlich")), appender))
                .ToArray();
            var appended = await store.AppendAsync(news, new AppendCondition(Query.FromTags(appender), previous));
            Say($"{Appended} {appended.FirstPosition} {string.Join(' ', news.Select(each => each.Id))}");
            previous = appended.LastPosition;
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
