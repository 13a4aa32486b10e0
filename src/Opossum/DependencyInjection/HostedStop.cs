using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;

namespace Opossum.DependencyInjection;

/// <summary>Waits for what stops with a host for as long as the host does; what has not stopped by then continues until the process ends.</summary>
internal sealed class HostedStop
{
    /// <summary>
    /// How long it waits further than the host: a store that has nothing to wait for still closes in order when another service has used up the
    /// host's time.
    /// </summary>
    public TimeSpan Grace { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Whether something did not stop in time.</summary>
    public bool HasGivenUp { get; private set; }

    /// <summary>Waits until a stop completes or the host waits no longer; then it logs what is left.</summary>
    public async Task WaitAsync(Task stop, string path, Func<IEnumerable<string>> findLeft, ILogger logger, CancellationToken cancellationToken)
    {
        try
        {
            await stop.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            if (HasGivenUp)
                return;
            await Task.WhenAny(stop, Task.Delay(Grace, TimeProvider.System, CancellationToken.None)).ConfigureAwait(false);
            if (stop.IsCompleted)
            {
                await stop.ConfigureAwait(false);
                return;
            }
            HasGivenUp = true;
            var left = string.Join("; ", findLeft());
            StoreLog.NotStopped(logger, path, left.Length > 0 ? left : "its files are not closed yet");
        }
    }
}
