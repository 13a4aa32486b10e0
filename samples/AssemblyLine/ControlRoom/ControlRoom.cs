using Opossum;
using Spectre.Console;

namespace AssemblyLine;

/// <summary>Runs the line for a while: starts the machines and the read models, shows their figures, stops them, and checks the result.</summary>
internal sealed class ControlRoom(LineSettings settings)
{
    private static readonly TimeSpan liveInterval = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan stopPatience = TimeSpan.FromSeconds(10);

    /// <summary>Runs it until its time is over or it is cancelled. False when a machine gave up or the self-check found an error.</summary>
    public async Task<bool> RunAsync(CancellationToken cancellationToken)
    {
        bool isWell;
        await using (var store = await LineStore.OpenAsync(settings.Store, cancellationToken))
        await using (store.StartProjections([new MachineStates(), new OrderBoard(), new ShiftTotals()]))
        {
            var (atEnd, haveFailed) = await RunLineAsync(store, cancellationToken);
            var history = await History.ReadAsync(store);
            Summary.Print(atEnd, history, settings);
            isWell = await SelfCheck.RunAsync(history, store.Projections) && !haveFailed;
        }
        return await SelfCheck.CheckFilesAsync(settings.Store) && isWell;
    }

    private async Task<(Figures AtEnd, bool HaveFailed)> RunLineAsync(FileSystemEventStore store,
        CancellationToken cancellationToken)
    {
        var notices = new Notices(print: settings.Plain);
        var random = new Random(settings.Seed);
        var machines =
            Enumerable.Range(1, settings.Machines).Select(number => new SupervisedMachine($"m{number}", settings, random.Next(), notices)).ToArray();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        using var kill = new CancellationTokenSource();

        var planning = new Planner(store, store.Projections.Get<OrderProgress>(), settings, random).RunAsync(stop.Token);
        var working = Task.WhenAll(machines.Select(machine => machine.RunAsync(stop.Token, kill.Token)));
        await Task.WhenAll(machines.Select(machine => machine.Begun));
        var figures = new FiguresReader(store, machines, await store.GetHeadAsync(CancellationToken.None), settings, notices);
        stop.CancelAfter(settings.Duration);
        var showing = ShowAsync(figures, stop.Token);

        // The time is over, Ctrl-C was pressed, no machine is left, or something has failed.
        await Task.WhenAny(planning, working, showing);
        await stop.CancelAsync();
        kill.CancelAfter(stopPatience);
        await Task.WhenAll(planning, working, showing);
        return (await figures.ReadAsync(), machines.Any(machine => machine.HasFailed));
    }

    private Task ShowAsync(FiguresReader figures, CancellationToken stop)
    {
        // At most once a second, and about ten times in total.
        if (settings.Plain)
            return ShowAsync(figures, TimeSpan.FromSeconds(Math.Max(1, settings.Duration.TotalSeconds / 10)), PlainView.Show, stop);
        return AnsiConsole.Live(new Text("")).StartAsync(live => ShowAsync(figures, liveInterval, now => live.UpdateTarget(LiveView.Of(now)), stop));
    }

    private static async Task ShowAsync(FiguresReader figures, TimeSpan interval, Action<Figures> show, CancellationToken stop)
    {
        try
        {
            while (true)
            {
                await Task.Delay(interval, stop);
                show(await figures.ReadAsync());
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // There is nothing more to show.
        }
    }
}
