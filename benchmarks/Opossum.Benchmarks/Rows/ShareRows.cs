using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Reporting;
using Opossum.Benchmarks.Shares;
using Opossum.Storage;
using Opossum.Testing.Simulated;

namespace Opossum.Benchmarks.Rows;

/// <summary>Two machines that sell the same seats on a share, with locks that keep them apart and with locks that do not.</summary>
internal static class ShareRows
{
    private const string ProcessName = "sell-seats";
    private const string WithoutLocks = "unix-none";
    private const string Usual = "usual";
    private const int Machines = 2;

    private static readonly Argument<string> database = new("database");
    private static readonly Argument<int> seats = new("seats");
    private static readonly Argument<string> locks = new("locks");

    /// <summary>The process of SQLite on one machine; not for manual use.</summary>
    public static Command CreateProcess()
    {
        var command = new Command(ProcessName, "Sells seats from an SQLite database once a line comes in, and prints those that it sold.")
        {
            database, seats, locks,
        };
        command.Hidden = true;
        command.SetAction(Sell);
        return command;
    }

    public static async Task MeasureAsync(RowRun run)
    {
        var count = run.Size(500, 50);
        foreach (var (text, reach) in new[] { ("reach both", LockReach.Everyone), ("reach only their own machine", LockReach.OwnClient) })
        {
            var trips = await new SimulatedShare(isShared: true, TimeSpan.FromMilliseconds(1)).MeasureAsync();
            await RaceStoresAsync(run, text, reach, count, trips.First(static cost => cost.Work == SimulatedShare.LoneAppend).RoundTrips);
            await RaceDatabasesAsync(run, text, reach == LockReach.Everyone ? Usual : WithoutLocks, count);
        }
    }

    private static async Task RaceStoresAsync(RowRun run, string text, LockReach reach, int count, double trips)
    {
        const string Root = "/share/store";
        var clock = new SimulatedClock { OperationTime = TimeSpan.FromMilliseconds(1) };
        var disk = new SimulatedDisk(VolumeKind.Smb, clock) { LockReach = reach };
        disk.Attach().CreateFolder("/share");
        FileSystemEventStore Open() => FileSystemEventStore.Open(new OpossumOptions { TimeProvider = new TimerlessClock(clock) }, disk.Attach(), Root,
            runs: new RunSettings { InBackground = false });
        var sold = await Task.WhenAll(Enumerable.Range(0, Machines).Select(_ => Task.Run(async () =>
        {
            await using var store = Open();
            var own = new List<int>();
            for (var seat = 0; seat < count; seat++)
            {
                try
                {
                    await store.AppendAsync(Seat(seat), new AppendCondition(Query.FromTags(EventFeed.Order(seat))));
                    own.Add(seat);
                }
                catch (AppendConditionFailedException)
                {
                    // The other machine has it.
                }
            }
            return own;
        })));
        await using var reader = Open();
        var stored = 0;
        await foreach (var _ in reader.ReadAsync(Query.All))
            stored++;
        Report(run, ContenderName.Opossum, text, count, sold, stored, "ok", trips);
    }

    private static async Task RaceDatabasesAsync(RowRun run, string text, string fileSystem, int count)
    {
        var path = run.Folder.Below($"{fileSystem}.db");
        using (new SqliteConnection(path, flush: true, isOnShare: true))
        {
        }
        string[] command = OwnProgram.Command(ProcessName, path, count.ToString(CultureInfo.InvariantCulture), fileSystem);
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        var processes = Enumerable.Range(0, Machines).Select(_ => Process.Start(start)!).ToList();
        foreach (var process in processes)
            await process.StandardOutput.ReadLineAsync(run.CancellationToken);
        foreach (var process in processes)
            await process.StandardInput.WriteLineAsync();
        var outputs = await Task.WhenAll(processes.Select(process => process.StandardOutput.ReadToEndAsync(run.CancellationToken)));
        processes.ForEach(static process => process.Dispose());
        var sold = outputs.Select(static output => output.Split('\n')[0].Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .Select(static seat => int.Parse(seat, CultureInfo.InvariantCulture)).ToList()).ToArray();
        var (stored, integrity) = (0, string.Join("; ", outputs.Select(static output => output.Split('\n')[1]).Where(static error => error.Length > 0).Distinct()));
        try
        {
            using var connection = new SqliteConnection(path, flush: true, isOnShare: true);
            integrity = $"{integrity} {connection.CheckIntegrity()}".Trim();
            stored = connection.ReadBack().Events;
        }
        catch (IOException e)
        {
            integrity = $"{integrity} {e.Message}".Trim();
        }
        var trips = await SystemCalls.PerEventAsync(run.Folder.Path, ContenderName.SqliteOnShare, AppendWay.Alone, run.CancellationToken, RoundTripsOf);
        Report(run, ContenderName.SqliteOnShare, text, count, sold, stored, integrity, trips);
    }

    private static void Report(RowRun run, string store, string locks, int count, IReadOnlyList<int>[] sold, int stored, string integrity,
        double? trips)
    {
        var all = sold.Sum(static each => each.Count);
        run.Report.Row(store, locks, Number.Whole(count), Number.Whole(all), Number.Whole(all - sold.SelectMany(static each => each).Distinct().Count()),
            Number.Whole(Math.Max(0, all - stored)), integrity, trips is { } known ? Number.Plain(known) : "", "");
    }

    private static int Sell(ParseResult arguments)
    {
        var fileSystem = arguments.GetRequiredValue(locks);
        using var connection =
            new SqliteConnection(arguments.GetRequiredValue(database), flush: true, isOnShare: true, fileSystem == Usual ? null : fileSystem);
        Console.WriteLine();
        Console.ReadLine();
        var error = "";
        for (var seat = 0; seat < arguments.GetValue(seats); seat++)
        {
            try
            {
                if (connection.TryAppend([Seat(seat)], EventFeed.Order(seat)) is not null)
                    Console.Write($"{seat} ");
            }
            catch (IOException e)
            {
                error = e.Message;
                break;
            }
        }
        Console.WriteLine($"\n{error}");
        return 0;
    }

    private static NewEvent Seat(int seat) => NewEvent.FromJson("seat-sold", "{}", EventFeed.Order(seat));

    // As ShareClient and ShareFile have them, while another machine has the file open.
    private static int RoundTripsOf(string call) => call switch
    {
        "open" or "openat" or "close" or "unlink" or "read" or "pread64" or "write" or "pwrite64" or "fsync" or "fdatasync" or "fcntl" => 1,
        _ => 0,
    };
}
