using System.CommandLine;
using System.Diagnostics;
using System.Globalization;

namespace Opossum.Benchmarks.Soak;

/// <summary>
/// The other process of a soak: appends now and then until it is asked to end, and then reports the number of events it has appended.
/// </summary>
internal sealed class SoakPeer : IDisposable
{
    private const string Name = "soak-peer";

    private readonly Process process;

    private SoakPeer(Process process) => this.process = process;

    public static Command CreateCommand()
    {
        var path = new Argument<string>("path");
        var journal = new Argument<bool>("journal");
        var command = new Command(Name, "The other process of `soak`; of no use by hand.") { path, journal };
        command.Hidden = true;
        command.SetAction((parse, _) => AppendAsync(parse.GetRequiredValue(path), parse.GetValue(journal)));
        return command;
    }

    public static SoakPeer Start(string path, SoakMode mode)
    {
        var command = OwnProgram.Command(Name, path, $"{mode.UsesJournal}");
        return new SoakPeer(Process.Start(new ProcessStartInfo(command[0], command[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true
        })!);
    }

    /// <summary>Ends it and returns the number of events it has appended.</summary>
    public async Task<long> EndAsync()
    {
        process.StandardInput.Close();
        var appended = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        return process.ExitCode == 0
            ? long.Parse(appended, CultureInfo.InvariantCulture)
            : throw new InvalidOperationException($"The other process ended with {process.ExitCode}.");
    }

    public void Dispose()
    {
        process.Kill();
        process.Dispose();
    }

    private static async Task<int> AppendAsync(string path, bool useJournal)
    {
        var end = Task.Run(Console.In.ReadToEnd);
        long appended = 0;
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, UseJournal = useJournal }))
        {
            while (!end.IsCompleted)
            {
                var result = await store.AppendAsync([Workload.Event((int)appended), Workload.Event((int)appended + 1)]);
                appended += result.LastPosition - result.FirstPosition + 1;
                await Task.Delay(20);
            }
        }
        Console.WriteLine(appended.ToString(CultureInfo.InvariantCulture));
        return 0;
    }
}
