using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Reporting;
using Opossum.Benchmarks.Shares;
using Opossum.Storage;
using Opossum.Testing.Simulated;

namespace Opossum.Benchmarks.Rows;

/// <summary>Two machines that sell the same seats on a share, with locks that work and with others.</summary>
internal static class ShareRows
{
    private const string ProcessName = "sell-seats";
    private const string Both = "reach both";
    private const string Own = "reach only their own machine";
    private const string UsualLocks = "usual";
    private const string NoLocks = "unix-none";
    private const int ErrorsMax = 100;
    private const int Machines = 2;
    private const int OpeningsMax = 100;

    private static readonly Argument<string> database = new("database");
    private static readonly Argument<int> seats = new("seats");
    private static readonly Argument<string> locks = new("locks");

    /// <summary>The process of SQLite on one machine; not for manual use.</summary>
    public static Command CreateProcess()
    {
        var command = new Command(ProcessName, "Sells seats by SQLite once a line comes in, and prints them.")
        {
            database, seats, locks,
        };
        command.Hidden = true;
        command.SetAction(SellAsync);
        return command;
    }

    public static async Task MeasureAsync(RowRun run)
    {
        var count = run.Size(500, 50);
        var shared = await new SimulatedShare(isShared: true, TimeSpan.FromMilliseconds(1)).MeasureAsync();
        var trips = shared.First(static cost => cost.Work == SimulatedShare.LoneAppend).RoundTrips;
        var sqliteTrips = run.IsShort
            ? null
            : await SystemCalls.PerEventAsync(run.Folder.Path, ContenderName.SqliteOnShare, AppendWay.Alone,
                run.CancellationToken, RoundTripsOf);
        await RaceStoresAsync(run, Both, LockReach.Everyone, count, trips);
        await RaceDatabasesAsync(run, Both, UsualLocks, count, sqliteTrips);
        await RaceStoresAsync(run, Own, LockReach.OwnClient, count);
        await RaceDatabasesAsync(run, Own, NoLocks, count);
    }

    private static async Task RaceStoresAsync(RowRun run, string text, LockReach reach, int count, double? trips = null)
    {
        const string Root = "/share/store";
        var clock = new SimulatedClock();
        var disk = new SimulatedDisk(VolumeKind.Smb, clock) { LockReach = reach, OperationTime = TimeSpan.FromMilliseconds(1) };
        disk.Attach().CreateFolder("/share");
        // One machine's wait advances the clock while the other machine's thread does not run.
        var wait = TimeSpan.FromDays(1);
        var options = new OpossumOptions { TimeProvider = new TimerlessClock(clock), LockTimeout = wait };
        var runs = new RunSettings { InBackground = false };
        var machines = await Task.WhenAll(Enumerable.Range(0, Machines)
            .Select(_ => Task.Run(() => SellAsync(count, Open, TryAppendAsync))));
        await using var reader = Open();
        var stored = 0;
        await foreach (var _ in reader.ReadAsync(Query.All))
            stored++;
        Report(run, ContenderName.Opossum, text, count, [.. machines.Select(static each => each.Sold)], stored,
            [.. machines.SelectMany(static each => each.Errors)], trips);

        // Where the locks keep nobody out, an opening is refused that meets what the other machine has half done.
        FileSystemEventStore Open()
        {
            for (var tries = 1; ; tries++)
            {
                try
                {
                    return FileSystemEventStore.Open(options, disk.Attach(), Root, runs: runs);
                }
                catch (StoreOpenException) when (tries < OpeningsMax)
                {
                    // It is opened again, as the error says.
                }
            }
        }
    }

    private static async Task<bool> TryAppendAsync(FileSystemEventStore store, int seat)
    {
        try
        {
            await store.AppendAsync(Seat(seat), new AppendCondition(Query.FromTags(EventFeed.Order(seat))));
            return true;
        }
        catch (AppendConditionFailedException)
        {
            return false;
        }
    }

    private static async Task RaceDatabasesAsync(RowRun run, string text, string fileSystem, int count,
        double? trips = null)
    {
        var path = run.Folder.Below($"{fileSystem}.db");
        using (new SqliteConnection(path, flush: true, isOnShare: true))
        {
        }
        string[] command =
            OwnProgram.Command(ProcessName, path, count.ToString(CultureInfo.InvariantCulture), fileSystem);
        var start = new ProcessStartInfo(command[0], command[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        var processes = Enumerable.Range(0, Machines).Select(_ => Process.Start(start)!).ToList();
        foreach (var process in processes)
            await process.StandardOutput.ReadLineAsync(run.CancellationToken);
        foreach (var process in processes)
            await process.StandardInput.WriteLineAsync();
        var outputs = await Task.WhenAll(processes.Select(
            async process => (await process.StandardOutput.ReadToEndAsync(run.CancellationToken)).Split('\n')));
        processes.ForEach(static process => process.Dispose());
        var sold = outputs.Select(static lines => lines[0].Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .Select(static seat => int.Parse(seat, CultureInfo.InvariantCulture)).ToList()).ToArray();
        List<string> found = [.. outputs.SelectMany(static lines => lines[1..]).Where(static line => line.Length > 0)];
        var stored = 0;
        try
        {
            using var connection = new SqliteConnection(path, flush: true, isOnShare: true);
            if (connection.CheckIntegrity() is var integrity and not "ok")
                found.Add($"afterwards: {integrity.ReplaceLineEndings(" ")}");
            stored = connection.ReadBack().Events;
        }
        catch (IOException e)
        {
            found.Add($"afterwards: {e.Message}");
        }
        Report(run, ContenderName.SqliteOnShare, text, count, sold, stored, found, trips);
    }

    private static void Report(RowRun run, string store, string locks, int count, IReadOnlyList<List<int>> sold,
        int stored, IEnumerable<string> errors, double? trips)
    {
        var all = sold.Sum(static each => each.Count);
        var twice = all - sold.SelectMany(static each => each).Distinct().Count();
        var text = string.Join("; ",
            errors.CountBy(static each => each).Select(static each => $"{each.Value} times {each.Key}"));
        run.Report.Row(store, locks, Number.Whole(count), Number.Whole(all), Number.Whole(twice),
            Number.Whole(Math.Max(0, all - stored)), text, trips is { } known ? Number.Plain(known) : "");
    }

    private static async Task<int> SellAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var (path, fileSystem) = (arguments.GetRequiredValue(database), arguments.GetRequiredValue(locks));
        SqliteConnection Open() =>
            new(path, flush: true, isOnShare: true, fileSystem == UsualLocks ? null : fileSystem);
        // The first opening is compiled before both begin.
        Open().Dispose();
        Console.WriteLine();
        Console.ReadLine();
        var (sold, errors) = await SellAsync(arguments.GetValue(seats), Open,
            static (connection, seat) =>
                Task.FromResult(connection.TryAppend([Seat(seat)], EventFeed.Order(seat)) is not null));
        Console.WriteLine(string.Join(' ', sold));
        errors.ForEach(Console.WriteLine);
        return 0;
    }

    // After an error the seat counts as not sold, and the store is opened again.
    private static async Task<(List<int> Sold, List<string> Errors)> SellAsync<TStore>(int seats, Func<TStore> open,
        Func<TStore, int, Task<bool>> sell)
        where TStore : IDisposable
    {
        var (sold, errors) = (new List<int>(), new List<string>());
        var store = open();
        for (var seat = 0; seat < seats && errors.Count < ErrorsMax; seat++)
        {
            try
            {
                if (await sell(store, seat))
                    sold.Add(seat);
            }
            catch (Exception e) when (e is IOException or EventStoreException)
            {
                errors.Add(e is IOException ? e.Message : e.GetType().Name);
                store.Dispose();
                store = open();
            }
        }
        store.Dispose();
        return (sold, errors);
    }

    private static NewEvent Seat(int seat) => NewEvent.FromJson("seat-sold", "{}", EventFeed.Order(seat));

    // As ShareClient and ShareFile have them, while another machine has the file open.
    private static int RoundTripsOf(string call) => call switch
    {
        "open" or "openat" or "close" or "unlink" or "fcntl" or "fsync" or "fdatasync" => 1,
        "read" or "pread64" or "write" or "pwrite64" => 1,
        _ => 0,
    };
}
