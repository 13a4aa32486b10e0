using System.Runtime.InteropServices;
using Opossum.Cli.Terminals;

namespace Opossum.Cli;

/// <summary>
/// Turns the first Ctrl-C, or the signal to end, into a cancellation. The second one ends the process at once, and so does the first where the
/// process only waits for a reader of its output, who may never read on.
/// </summary>
internal sealed class Interruption : IDisposable
{
    private static readonly TimeSpan lookInterval = TimeSpan.FromMilliseconds(500);

    private readonly CancellationTokenSource source = new();
    private readonly ManualResetEventSlim ended = new();
    private readonly PosixSignalRegistration[] registrations;

    public Interruption() => registrations =
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, Cancel),
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, Cancel),
    ];

    public CancellationToken Token => source.Token;

    public void Dispose()
    {
        ended.Set();
        foreach (var registration in registrations)
            registration.Dispose();
        source.Dispose();
    }

    private void Cancel(PosixSignalContext signal)
    {
        signal.Cancel = !source.IsCancellationRequested;
        source.Cancel();
        if (signal.Cancel)
            new Thread(EndWhenNobodyReads) { IsBackground = true }.Start();
    }

    // What a command changes is done, or undone, before it writes to its output.
    private void EndWhenNobodyReads()
    {
        int? before = null;
        while (!ended.Wait(lookInterval))
        {
            var now = PipeStream.Waiting;
            if (now is not null && now == before)
            {
                new ErrorWriter(Console.Error).WriteLine("Cancelled while waiting for the reader of the output.");
                Environment.Exit((int)ExitCode.Cancelled);
            }
            before = now;
        }
    }
}
