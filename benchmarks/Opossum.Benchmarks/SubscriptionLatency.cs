using System.Diagnostics;
using System.Globalization;
using Opossum.FileSystem.Real;

namespace Opossum.Benchmarks;

/// <summary>
/// How much later than the append's caller a subscriber receives an event: from the moment the caller continues after its append to the moment
/// the subscriber continues with the event, in microseconds. Negative: the subscriber was first. Uses the clock that all processes share.
/// </summary>
internal static class SubscriptionLatency
{
    private const int WarmUp = 20;

    public static async Task<List<double>> InProcessAsync(string path, int appends)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        var seeing = Task.Run(() => SeeAsync(store, WarmUp + appends));
        var returned = new long[WarmUp + appends];
        for (var number = 0; number < returned.Length; number++)
        {
            await store.AppendAsync([Workload.Event(number)]);
            returned[number] = Stopwatch.GetTimestamp();
        }
        return Differences(returned, await seeing);
    }

    /// <summary>Another process appends, at moments that have nothing to do with the poll's.</summary>
    public static async Task<List<double>> AcrossProcessesAsync(string path, int appends, bool watch, CancellationToken cancellationToken)
    {
        var options = new OpossumOptions { Path = path };
        var real = RealFileSystem.Create();
        await using var store = FileSystemEventStore.Open(options, watch ? real : new FileSystemWithoutWatch(real), Path.GetFullPath(path));
        var seeing = Task.Run(() => SeeAsync(store, WarmUp + appends), cancellationToken);
        var command = OwnProgram.Command("append-timed", path, (WarmUp + appends).ToString(CultureInfo.InvariantCulture));
        using var process = Process.Start(new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true })!;
        var lines = await process.StandardOutput.ReadToEndAsync(cancellationToken);
        await process.WaitForExitAsync(cancellationToken);
        if (process.ExitCode != 0)
            throw new InvalidOperationException($"The process that was to append ended with {process.ExitCode}.");
        long[] returned =
            [.. lines.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => long.Parse(line, CultureInfo.InvariantCulture))];
        return Differences(returned, await seeing);
    }

    /// <summary>What the other process does: appends now and then, and at the end reports when each append returned.</summary>
    public static async Task<int> AppendTimedAsync(string path, int count)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        var random = new Random(1);
        var returned = new long[count];
        for (var number = 0; number < count; number++)
        {
            await Task.Delay(random.Next(5, 45));
            await store.AppendAsync([Workload.Event(number)]);
            returned[number] = Stopwatch.GetTimestamp();
        }
        foreach (var each in returned)
            Console.WriteLine(each.ToString(CultureInfo.InvariantCulture));
        return 0;
    }

    private static async Task<long[]> SeeAsync(FileSystemEventStore store, int count)
    {
        var seen = new long[count];
        await foreach (var e in store.SubscribeAsync(Query.All))
        {
            seen[e.Position - 1] = Stopwatch.GetTimestamp();
            if (e.Position == count)
                break;
        }
        return seen;
    }

    private static List<double> Differences(long[] returned, long[] seen) =>
        [.. returned.Zip(seen, static (from, to) => (to - from) * 1e6 / Stopwatch.Frequency).Skip(WarmUp)];
}
