using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.Extensions.DependencyInjection;
using Opossum.AspNetCore.Problems;

namespace Opossum.AspNetCore.Waiting;

/// <summary>Lets a request wait until the position in its query string is reached, and finds why it cannot be.</summary>
internal sealed class PositionGate
{
    // How late a position of another process may arrive at most, except on a share.
    private static readonly TimeSpan arrivalMax = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan limitMin = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan limitMax = TimeSpan.FromHours(1);

    private readonly PositionWait wait;
    private readonly TimeSpan limit;
    private Task<bool>? hasShare;

    public PositionGate(PositionWait wait, TimeSpan limit)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, limitMin);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(limit, limitMax);
        this.wait = wait;
        this.limit = limit;
    }

    /// <summary>Waits; null when the position is reached or none was asked for, otherwise the answer that says why not.</summary>
    public async Task<IResult?> WaitAsync(HttpContext http)
    {
        if (!http.Request.Query.TryGetValue(OpossumEndpointExtensions.AfterParameter, out var values) || string.IsNullOrEmpty(values))
            return null;
        // Digits only: no sign, no blanks, no separators.
        return values.Count == 1 && long.TryParse(values[0], NumberStyles.None, CultureInfo.InvariantCulture, out var position)
            ? await FindProblemAsync(http, position).ConfigureAwait(false)
            : Invalid("This must be one position: a whole number from 0.");
    }

    private async Task<IResult?> FindProblemAsync(HttpContext http, long position)
    {
        var aborted = http.RequestAborted;
        var clock = http.RequestServices.GetService<TimeProvider>() ?? TimeProvider.System;
        using var timeout = new CancellationTokenSource(limit, clock);
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(aborted, timeout.Token);
        var waiting = Task.CompletedTask;
        try
        {
            waiting = wait.WaitAsync(http.RequestServices, position, ending.Token);
            await Task.WhenAny(waiting, Task.Delay(arrivalMax, clock, ending.Token)).ConfigureAwait(false);
            if (!waiting.IsCompletedSuccessfully && await FindHeadBeforeAsync(http, position, clock).ConfigureAwait(false) is { } head)
                return Invalid($"There is no event at position {position}; the last position is {head}.");
            // On a share that hangs it heeds no cancellation.
            await waiting.WaitAsync(ending.Token).ConfigureAwait(false);
            return null;
        }
        catch (OperationCanceledException) when (timeout.IsCancellationRequested && !aborted.IsCancellationRequested)
        {
            return Answer(http, StoreProblem.Later($"What is read here does not include position {position} yet. Try again later."));
        }
        catch (ProjectionException e) when (e.Fault is not null)
        {
            return Answer(http, StoreProblem.ProjectionStopped(e.Projection));
        }
        finally
        {
            // Nothing waits on when the request goes on.
            await ending.CancelAsync().ConfigureAwait(false);
            _ = EndAsync(waiting);
        }
    }

    private static async Task EndAsync(Task waiting) => await waiting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    // The head, if the position is after it; null: the store has the position, or may have it.
    private async Task<long?> FindHeadBeforeAsync(HttpContext http, long position, TimeProvider clock)
    {
        try
        {
            return await FindAsync().WaitAsync(arrivalMax, clock, http.RequestAborted).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // A share hangs. The limit decides.
            return null;
        }

        async Task<long?> FindAsync()
        {
            var head = await wait.GetHeadAsync(http.RequestServices, http.RequestAborted).ConfigureAwait(false);
            return position > head && !await HasShareAsync(http).ConfigureAwait(false) ? head : null;
        }
    }

    // Looked at once: the status counts tags, and a client can ask for any position.
    private Task<bool> HasShareAsync(HttpContext http)
    {
        if (hasShare is not { IsCompletedSuccessfully: true } known)
            hasShare = known = FindShareAsync(http.RequestServices, http.RequestAborted);
        return known;
    }

    // What another machine appended to a share may be seen much later. The store of a projection is not known here, so any of the app's counts.
    private static async Task<bool> FindShareAsync(IServiceProvider services, CancellationToken cancellationToken)
    {
        foreach (var store in services.GetServices<IFileSystemEventStore>()
            .Concat(services.GetKeyedServices<IFileSystemEventStore>(KeyedService.AnyKey)))
        {
            if ((await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false)).IsNetwork)
                return true;
        }
        return false;
    }

    private static ProblemHttpResult Answer(HttpContext http, StoreProblem problem)
    {
        if (problem.RetryAfter is { } seconds)
            http.Response.Headers.RetryAfter = seconds;
        return TypedResults.Problem(problem.Details);
    }

    private static ValidationProblem Invalid(string error) =>
        TypedResults.ValidationProblem([new KeyValuePair<string, string[]>(OpossumEndpointExtensions.AfterParameter, [error])]);
}
