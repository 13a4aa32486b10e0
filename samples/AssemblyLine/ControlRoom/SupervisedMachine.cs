namespace AssemblyLine;

internal enum ProcessStatus
{
    Starting,
    Running,
    Stopped,
    Lost,
}

/// <summary>A machine as the control room sees it: keeps its process running and collects its reports.</summary>
internal sealed class SupervisedMachine(string name, LineSettings settings, int seed, Notices notices)
{
    private static readonly TimeSpan restartPause = TimeSpan.FromSeconds(1);

    private readonly Lock gate = new();
    private readonly TaskCompletionSource begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Latencies latencies = new();
    private int conflicts;

    public string Name => name;

    public ProcessStatus Status { get; private set; }

    /// <summary>The number of times its process ended without being asked to.</summary>
    public int Losses { get; private set; }

    /// <summary>Whether it gave up by itself and was not killed.</summary>
    public bool HasFailed { get; private set; }

    /// <summary>Completes when the machine has begun to work, or never will.</summary>
    public Task Begun => begun.Task;

    public (Latencies Latencies, int Conflicts) Figures
    {
        get
        {
            var copy = new Latencies();
            lock (gate)
            {
                copy.Add(latencies);
                return (copy, conflicts);
            }
        }
    }

    /// <summary>Keeps the machine running until it is stopped or lost; with restart, a lost machine is replaced.</summary>
    /// <param name="stop">Asks the process to end.</param>
    /// <param name="kill">Ends a process that does not end when asked.</param>
    public async Task RunAsync(CancellationToken stop, CancellationToken kill)
    {
        try
        {
            while (true)
            {
                await RunProcessAsync(stop, kill);
                if (Status == ProcessStatus.Stopped || !settings.Restart)
                    return;
                await Task.Delay(restartPause, stop);
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The shift ended before the machine was started again.
        }
        finally
        {
            begun.TrySetResult();
        }
    }

    private async Task RunProcessAsync(CancellationToken stop, CancellationToken kill)
    {
        Status = ProcessStatus.Starting;
        using var process = MachineProcess.Start(settings.OfMachine(name, seed + Losses));
        using var stopping = stop.Register(process.Stop);
        using var killing = kill.Register(process.Kill);
        notices.Add($"{name} is process {process.Id}");
        await foreach (var report in process.ReadReportsAsync())
            Take(report);

        var (exitCode, error) = await process.EndAsync();
        HasFailed |= error.Length > 0;
        if (error.Length > 0)
            notices.Add($"{name} gave up: {error}");
        else if (exitCode != 0)
            notices.Add($"{name} is lost: process {process.Id} ended with exit code {exitCode}");
        Status = exitCode == 0 ? ProcessStatus.Stopped : ProcessStatus.Lost;
        if (Status == ProcessStatus.Lost)
            Losses++;
    }

    private void Take(MachineReport report)
    {
        lock (gate)
        {
            conflicts += report.Conflicts;
            foreach (var milliseconds in report.AppendMilliseconds)
                latencies.Add(milliseconds);
        }
        Status = ProcessStatus.Running;
        begun.TrySetResult();
    }
}
