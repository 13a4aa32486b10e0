using System.Runtime.InteropServices;
using Opossum;

namespace AssemblyLine;

/// <summary>The process of one machine. It runs until its standard input ends: the control room closes it, or has ended.</summary>
internal static class MachineProgram
{
    private static readonly TimeSpan reportInterval = TimeSpan.FromMilliseconds(200);

    public static async Task<int> RunAsync(MachineSettings settings)
    {
        // Ctrl-C reaches all processes of a terminal, but the control room decides when to stop.
        using var notMine = PosixSignalRegistration.Create(PosixSignal.SIGINT, signal => signal.Cancel = true);
        var stop = new CancellationTokenSource();
        var listener = new Thread(() =>
        {
            Console.In.ReadToEnd();
            stop.Cancel();
        });
        listener.IsBackground = true;
        listener.Start();
        try
        {
            await using var store = await LineStore.OpenAsync(settings.Store, stop.Token);
            var random = new Random(settings.Seed);
            var metered = new MeteredStore(store);
            var machine = new Machine(settings.Name, metered, settings.Operators, new Pace(settings.Rate, random), random);
            await ReportAsync(metered, machine.RunAsync(stop.Token));
            return 0;
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            return 0;
        }
        catch (EventStoreException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return 1;
        }
    }

    private static async Task ReportAsync(MeteredStore store, Task work)
    {
        do
        {
            Console.WriteLine(store.TakeReport());
        }
        while (await Task.WhenAny(work, Task.Delay(reportInterval)) != work);
        Console.WriteLine(store.TakeReport());
        await work;
    }
}
