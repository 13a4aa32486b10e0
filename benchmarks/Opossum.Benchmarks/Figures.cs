using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Opossum.Maintenance;
using Spectre.Console;

namespace Opossum.Benchmarks;

/// <summary>
/// The figures that Opossum promises, each with its target. Yardstick and store take turns, so that noise of the machine affects both.
/// </summary>
internal sealed class Figures(WorkFolder folder, bool isShort)
{
    private const int Appenders = 64;

    private readonly Table table = new Table().AddColumns("figure", "measured", "target", "");
    private readonly BlockDevice? device = folder.Device;

    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        var flushes = device is { HasFua: false } ? " (without FUA: a journal's commit is 2 flushes)" : "";
        var length = isShort ? ", short run" : "";
        AnsiConsole.MarkupLineInterpolated(CultureInfo.InvariantCulture,
            $"{folder.Volume.Name} on {device?.Name ?? "an unknown device"}{flushes}, {Environment.ProcessorCount} cores, .NET {Environment.Version}{length}");
        await LoneAsync(cancellationToken);
        await ConcurrentAsync();
        await SeatsAsync();
        await SubscriptionsAsync(cancellationToken);
        await LargeStoreAsync();
        AnsiConsole.Write(table);
        return 0;
    }

    private async Task LoneAsync(CancellationToken cancellationToken)
    {
        var rounds = isShort ? 4 : 60;
        const int block = 25;
        using var raw = new RawFiles(folder.Below("raw"));
        await using var store = await OpenAsync("lone");
        var rawTimes = new List<double>();
        var storeTimes = new List<double>();
        long rawFlushes = 0, storeFlushes = 0;
        for (var round = 0; round <= rounds; round++)
        {
            // The first round warms up.
            var counts = round > 0;
            var before = Flushes;
            for (var number = 0; number < block; number++)
                Measure(rawTimes, counts, raw.CreateWriteFlush);
            rawFlushes += counts ? Flushes - before : 0;
            before = Flushes;
            for (var number = 0; number < block; number++)
                await MeasureAsync(storeTimes, counts, () => store.AppendAsync([Workload.Event(number)]));
            storeFlushes += counts ? Flushes - before : 0;
        }
        var ratio = Median(storeTimes) / Median(rawTimes);
        Row("lone append, time against the raw loop", $"{ratio:F2} ({Median(storeTimes):F0} to {Median(rawTimes):F0} µs, medians)", "at most 1.25",
            ratio <= 1.25);
        if (device is not null)
        {
            Row("lone append, device flushes", $"{storeFlushes / (double)storeTimes.Count:F3} (raw loop: {rawFlushes / (double)rawTimes.Count:F3})",
                "as the raw loop", storeFlushes <= rawFlushes * 1.02);
        }

        if (await SystemCalls.OfLoneAppendAsync(folder.Path, cancellationToken) is { } calls)
            Row("lone append, system calls on files", $"{calls:F2}", "at most 12", calls <= 12);
    }

    private async Task ConcurrentAsync()
    {
        var rounds = isShort ? 2 : 12;
        const int rawBlock = 200, block = 50;
        using var raw = new RawFiles(folder.Below("raw-concurrent"));
        await using var store = await OpenAsync("concurrent");
        var rawRates = new List<double>();
        var storeRates = new List<double>();
        var flushes = new List<double>();
        var groupRates = new List<double>();
        var groupFlushes = new List<double>();
        for (var round = 0; round <= rounds; round++)
        {
            var beforeGroups = Flushes;
            var groupsStarted = Stopwatch.GetTimestamp();
            for (var number = 0; number < block; number++)
                raw.CreateWriteFlushGroup(Appenders);
            var groupRate = Appenders * block / Stopwatch.GetElapsedTime(groupsStarted).TotalSeconds;
            var groupFlush = (Flushes - beforeGroups) / (double)(Appenders * block);
            var started = Stopwatch.GetTimestamp();
            for (var number = 0; number < rawBlock; number++)
                raw.CreateWriteFlush();
            var rawRate = rawBlock / Stopwatch.GetElapsedTime(started).TotalSeconds;
            var before = Flushes;
            started = Stopwatch.GetTimestamp();
            await Task.WhenAll(Enumerable.Range(0, Appenders).Select(async appender =>
            {
                for (var number = 0; number < block; number++)
                    await store.AppendAsync([Workload.Event(appender * block + number)]);
            }));
            if (round == 0)
                continue;
            rawRates.Add(rawRate);
            groupRates.Add(groupRate);
            groupFlushes.Add(groupFlush);
            storeRates.Add(Appenders * block / Stopwatch.GetElapsedTime(started).TotalSeconds);
            flushes.Add((Flushes - before) / (double)(Appenders * block));
        }
        var ratio = Median(storeRates) / Median(rawRates);
        Row($"{Appenders} concurrent appenders, events/s against the raw loop",
            $"{ratio:F1} ({Median(storeRates):N0} to {Median(rawRates):N0} events/s)", "at least 4", ratio >= 4);
        var groupRatio = Median(groupRates) / Median(storeRates);
        Row($"{Appenders} concurrent appenders, time against raw groups of {Appenders}", $"{groupRatio:F2} ({Median(groupRates):N0} events/s raw)",
            "", true);
        if (device is not null)
        {
            Row($"{Appenders} concurrent appenders, device flushes an event",
                $"{Median(flushes):F4} (raw groups of {Appenders}: {Median(groupFlushes):F4})", "at most 0.05", Median(flushes) <= 0.05);
        }
    }

    private async Task SeatsAsync()
    {
        const int clients = 128;
        var seats = isShort ? 300 : 1_000;
        var (times, gaveUp) = await SeatRace.RunAsync(folder.Below("seats"), clients, seats);
        Row($"{clients} clients decide on one tag until {seats:N0} seats are taken, clients that give up before", $"{gaveUp}", "none", gaveUp == 0);
        Row($"{clients} clients decide on one tag, time of a decision", Latency(times), "p99 at most 20 medians",
            Percentile(times, 99) <= 20 * Median(times));
    }

    private async Task SubscriptionsAsync(CancellationToken cancellationToken)
    {
        var interval = new OpossumOptions().Advanced.SubscriptionPollInterval;
        const string figure = "subscriber has an event later than its appender continues,";
        var inProcess = await SubscriptionLatency.InProcessAsync(folder.Below("subscribed"), isShort ? 200 : 5_000);
        Row($"{figure} in one process", Latency(inProcess), "p99 at most 1 ms", Percentile(inProcess, 99) <= 1_000);
        var target = interval + TimeSpan.FromMilliseconds(5);
        foreach (var watch in (bool[])[true, false])
        {
            var across =
                await SubscriptionLatency.AcrossProcessesAsync(folder.Below(watch ? "subscribed-watch" : "subscribed-poll"), isShort
                    ? 40
                    : 400, watch, cancellationToken);
            Row($"{figure} across processes, {(watch ? "poll and watch of the file" : "poll alone")}", Latency(across),
                $"p99 at most {target.TotalMilliseconds:F0} ms", Percentile(across, 99) <= target.TotalMicroseconds);
        }
    }

    private async Task LargeStoreAsync()
    {
        var events = isShort ? 5_000 : 100_000;
        var path = folder.Below("large");
        await Workload.FillAsync(path, events, batch: 1);
        await ConditionAsync(path, events);
        await DecisionAsync(path, events);
        events = (int)await HeadAsync(path);

        var opens = new List<double>();
        for (var round = 0; round < 12; round++)
        {
            await MeasureAsync(opens, round > 1,
                async () => await (await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path })).DisposeAsync());
        }

        Row($"reopening a store of {events:N0} events", $"{Median(opens) / 1000:F1} ms", "at most 30 ms", Median(opens) <= 30_000);

        await ReadAsync(path, events);

        var rates = new List<double>();
        for (var round = 0; round < 3; round++)
        {
            Directory.Delete(Path.Combine(path, "Index"), recursive: true);
            var started = Stopwatch.GetTimestamp();
            await (await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path })).DisposeAsync();
            rates.Add(events / Stopwatch.GetElapsedTime(started).TotalSeconds);
        }
        Row("rebuilding the index from event files", $"{Median(rates):N0} events/s", "at least 50,000", Median(rates) >= 50_000);

        var report = await StoreCheck.RunAsync(path);
        Row("check of that store", report.IsClean ? "clean" : $"{report.Findings.Count} findings", "clean", report.IsClean);
    }

    private async Task ConditionAsync(string path, int events)
    {
        var rounds = isShort ? 20 : 800;
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        var without = new List<double>();
        var with = new List<double>();
        for (var round = 0; round < rounds; round++)
        {
            var item = round * 7 % (events / 20);
            var condition = new AppendCondition(
                Query.FromItems(new QueryItem { Types = ["item-moved"], Tags = [Workload.ItemTag(item), Workload.GroupTag(item % 100)] },
                    new QueryItem { Tags = [new Tag("order", "o" + round)] }),
                await store.GetHeadAsync());
            var counts = round >= rounds / 10;
            await MeasureAsync(without, counts, () => store.AppendAsync([Workload.Event(events + round)]));
            condition = condition with { After = await store.GetHeadAsync() };
            await MeasureAsync(with, counts, () => store.AppendAsync([Workload.Event(events + round)], condition));
        }
        var ratio = Median(with) / Median(without);
        Row($"append condition on {events:N0} events, time against none", $"{ratio:F3} ({Median(with):F0} to {Median(without):F0} µs)",
            "at most 1.05", ratio <= 1.05);
    }

    private async Task DecisionAsync(string path, int events)
    {
        var rounds = isShort ? 20 : 800;
        const int orders = 20, eventsOfOrder = 10;
        var options = new OpossumOptions { Path = path };
        options.EventTypes.Add<OrderChanged>();
        await using var store = await FileSystemEventStore.OpenAsync(options);
        for (var order = 0; order < orders; order++)
        {
            await store.AppendAsync([.. Enumerable.Range(1,
                eventsOfOrder).Select(quantity => new NewEvent(new OrderChanged("o" + order, quantity)))]);
        }

        var lone = new List<double>();
        var decided = new List<double>();
        for (var round = 0; round < rounds; round++)
        {
            var ordered =
                DecisionProjection.Create(0, new Tag("order", "o" + (round % orders))).On<OrderChanged>((sum, changed) => sum + changed.Quantity);
            var counts = round >= rounds / 10;
            await MeasureAsync(lone, counts, () => store.AppendAsync([Workload.Event(events + round)]));
            await MeasureAsync(decided, counts, async () =>
            {
                var model = await store.BuildDecisionModelAsync(ordered);
                await store.AppendAsync([Workload.Event(events + model.State)], model.AppendCondition);
            });
        }
        var ratio = Median(decided) / Median(lone);
        Row($"decision on {eventsOfOrder} of {events:N0} events and its append, time against a lone append",
            $"{ratio:F3} ({Median(decided):F0} to {Median(lone):F0} µs)", "at most 1.10", ratio <= 1.1);
    }

    private async Task ReadAsync(string path, int events)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        var rates = new List<double>();
        long bytes = 0;
        for (var round = 0; round < 9; round++)
        {
            var started = Stopwatch.GetTimestamp();
            await foreach (var each in store.ReadAsync(Query.All))
                bytes += each.Json.Length;
            if (round > 2)
                rates.Add(events / Stopwatch.GetElapsedTime(started).TotalSeconds);
        }
        Row($"reading {events:N0} events in order, envelope and JSON ({bytes / 9 / events} bytes)", $"{Median(rates):N0} events/s",
            "at least 1,000,000", Median(rates) >= 1_000_000);

        var times = new List<double>();
        long found = 0;
        for (var round = 0; round < 200; round++)
        {
            await MeasureAsync(times, round >= 50, async () =>
            {
                found = 0;
                await foreach (var each in store.ReadAsync(Query.FromTags(Workload.GroupTag(round % 100))))
                    found++;
            });
        }
        Row($"reading {found:N0} events by tag", $"{Median(times) / 1000:F2} ms", "at most 1.5 ms", Median(times) <= 1500);
    }

    private static async Task<long> HeadAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        return await store.GetHeadAsync();
    }

    private Task<FileSystemEventStore> OpenAsync(string name) => FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder.Below(name) });

    private long Flushes => device?.Flushes ?? 0;

    private void Row(string figure, string measured, string target, bool isMet) =>
        table.AddRow(Markup.Escape(figure), Markup.Escape(measured), target, target.Length == 0 ? "" : isMet ? "met" : "[bold]missed[/]");

    private static void Measure(List<double> times, bool counts, Action work)
    {
        var started = Stopwatch.GetTimestamp();
        work();
        if (counts)
            times.Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds);
    }

    private static async Task MeasureAsync(List<double> times, bool counts, Func<ValueTask> work)
    {
        var started = Stopwatch.GetTimestamp();
        await work();
        if (counts)
            times.Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds);
    }

    private static Task MeasureAsync(List<double> times, bool counts, Func<Task<AppendResult>> work) =>
        MeasureAsync(times, counts, async ValueTask () => { await work(); });

    private static string Latency(List<double> microseconds) =>
        $"median {Median(microseconds) / 1000:F3} ms, p99 {Percentile(microseconds, 99) / 1000:F3} ms, max "
            + $"{Percentile(microseconds, 100) / 1000:F3} ms";

    private static double Median(List<double> values) => Percentile(values, 50);

    private static double Percentile(List<double> values, int percent)
    {
        values.Sort();
        return values.Count == 0 ? 0 : values[Math.Min(values.Count * percent / 100, values.Count - 1)];
    }
}
