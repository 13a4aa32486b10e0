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

    private readonly Lock gate = new();
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
        var (services, aborted) = (http.RequestServices, http.RequestAborted);
        var clock = services.GetService<TimeProvider>() ?? TimeProvider.System;
        using var timeout = new CancellationTokenSource(limit, clock);
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(aborted, timeout.Token);
        try
        {
            var waiting = wait.WaitAsync(services, position, ending.Token);
            await Task.WhenAny(waiting, Task.Delay(arrivalMax, clock, ending.Token)).ConfigureAwait(false);
            if (!waiting.IsCompletedSuccessfully && await FindHeadBeforeAsync(services, position, clock, aborted).ConfigureAwait(false) is { } head)
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
            // Nothing waits on when the request continues.
            await ending.CancelAsync().ConfigureAwait(false);
        }
    }

    // The head, if the position is after it; null: the store has the position, or may have it.
    private async Task<long?> FindHeadBeforeAsync(IServiceProvider services, long position, TimeProvider clock, CancellationToken aborted)
    {
        try
        {
            var head = await wait.GetHeadAsync(services, aborted).WaitAsync(arrivalMax, clock, aborted).ConfigureAwait(false);
            return position > head && !await HasShareAsync(services, clock, aborted).ConfigureAwait(false) ? head : null;
        }
        catch (TimeoutException)
        {
            // A share hangs. The limit decides.
            return null;
        }
    }

    // One look for all requests, until it succeeds: the status counts tags, and a client can ask for any position.
    // What is not known in time counts as no share.
    private async Task<bool> HasShareAsync(IServiceProvider services, TimeProvider clock, CancellationToken aborted)
    {
        Task<bool> look;
        lock (gate)
        {
            if (hasShare is not { IsFaulted: false, IsCanceled: false })
                hasShare = FindShareAsync(services);
            look = hasShare;
        }
        await ((Task)look).WaitAsync(arrivalMax, clock, aborted).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return look.IsCompletedSuccessfully && await look.ConfigureAwait(false);
    }

    // What another machine appended to a share may be seen much later. The store of a projection is not known here, so any of the app's counts.
    // It may outlast the request: of its services only the stores are used after the first wait, and not its cancellation.
    private static async Task<bool> FindShareAsync(IServiceProvider services)
    {
        List<Task<bool>> looks = [.. services.GetServices<IFileSystemEventStore>()
            .Concat(services.GetKeyedServices<IFileSystemEventStore>(KeyedService.AnyKey))
            .Select(static async store => (await store.GetStatusAsync().ConfigureAwait(false)).IsNetwork)];
        await foreach (var look in Task.WhenEach(looks).ConfigureAwait(false))
        {
            if (look.IsCompletedSuccessfully && await look.ConfigureAwait(false))
                return true;
        }
        await Task.WhenAll(looks).ConfigureAwait(false);
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
