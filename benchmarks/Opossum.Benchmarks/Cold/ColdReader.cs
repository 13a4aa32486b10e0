using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Ages;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Storage.Folders;

namespace Opossum.Benchmarks.Cold;

/// <summary>The process of <c>cold</c> that reads within the memory bound.</summary>
internal sealed class ColdReader(string path, SqliteConnection sqlite, AgesFeed feed, bool isShort)
{
    private const string Name = "cold-reader";
    private const int BufferLength = 1 << 20;

    private TimeSpan WarmUp => isShort ? TimeSpan.Zero : TimeSpan.FromSeconds(30);

    private readonly Random random = new(1);

    public static string[] Command(string store, string sqlite, int events, bool isShort) =>
        OwnProgram.Command(Name, store, sqlite, events.ToString(CultureInfo.InvariantCulture), isShort.ToString());

    public static Command CreateCommand()
    {
        var store = new Argument<string>("store");
        var sqlite = new Argument<string>("sqlite");
        var events = new Argument<int>("events");
        var isShort = new Argument<bool>("short");
        var command = new Command(Name, "The process of `cold` that reads; of no use by hand.") { store, sqlite, events, isShort };
        command.Hidden = true;
        command.SetAction(async (parse, _) =>
        {
            using var connection = SqliteContenderFilled.Open(parse.GetRequiredValue(sqlite));
            var reader =
                new ColdReader(parse.GetRequiredValue(store), connection, new AgesFeed(parse.GetValue(events)), parse.GetValue(isShort));
            Console.WriteLine(await reader.RunAsync());
            return 0;
        });
        return command;
    }

    private async Task<string> RunAsync()
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        List<double> few = [], fewOfSqlite = [], scans = [], reads = [];
        var begun = Stopwatch.GetTimestamp();
        for (var round = 1; round <= (isShort ? 5 : 300);)
        {
            var time = await TimeAsync(async () => await CountAsync(store, Query.FromTags(feed.Order(random.Next()))), AgesFeed.EventsPerOrder);
            var timeOfSqlite = await TimeAsync(() =>
                Task.FromResult(sqlite.Read(feed.Order(random.Next()), PayloadAs.Bytes, backwards: false).Events), AgesFeed.EventsPerOrder);
            // Code that has run for a moment is compiled once more, and a disk may be busy for a while with what was just written to it.
            // The files are as cold afterwards: the memory has no more room.
            if (Stopwatch.GetElapsedTime(begun) < WarmUp)
                continue;
            few.Add(time);
            fewOfSqlite.Add(timeOfSqlite);
            round++;
        }
        var segments = Directory.GetFiles(new StoreLayout(path).Log, "*" + StoreLayout.SealedFileEnding);
        for (var round = 0; round < 3; round++)
        {
            reads.Add(await TimeAsync(() => Task.FromResult(segments.Sum(ReadFile)), expected: 0));
            scans.Add(await TimeAsync(() => CountAsync(store, Query.All), feed.Events));
        }
        return ColdResult.Format([few, fewOfSqlite, scans, reads], segments.Sum(static each => new FileInfo(each).Length));
    }

    private static async Task<double> TimeAsync(Func<Task<int>> work, int expected)
    {
        var started = Stopwatch.GetTimestamp();
        var found = await work();
        var time = Stopwatch.GetElapsedTime(started).TotalMicroseconds;
        return found == expected ? time : throw new CannotMeasureException($"{found} events were found instead of {expected}.");
    }

    private static async Task<int> CountAsync(FileSystemEventStore store, Query query)
    {
        var read = 0;
        await foreach (var each in store.ReadAsync(query))
            read += each.Json.Length > 0 ? 1 : 0;
        return read;
    }

    // Returns what is left, which is nothing.
    private static int ReadFile(string path)
    {
        var buffer = new byte[BufferLength];
        using var handle = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        var read = 0;
        for (var at = 0L; (read = RandomAccess.Read(handle, buffer, at)) > 0;)
            at += read;
        return read;
    }
}
