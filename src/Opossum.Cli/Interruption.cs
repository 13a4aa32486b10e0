using System.Runtime.InteropServices;

namespace Opossum.Cli;

/// <summary>Turns the first Ctrl-C, or the signal to end, into a cancellation. The second one ends the process at once.</summary>
internal sealed class Interruption : IDisposable
{
    private readonly CancellationTokenSource source = new();
    private readonly PosixSignalRegistration[] registrations;

    public Interruption() => registrations =
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, Cancel),
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, Cancel),
    ];

    public CancellationToken Token => source.Token;

    public void Dispose()
    {
        foreach (var registration in registrations)
            registration.Dispose();
        source.Dispose();
    }

    private void Cancel(PosixSignalContext signal)
    {
        signal.Cancel = !source.IsCancellationRequested;
        source.Cancel();
    }
}
