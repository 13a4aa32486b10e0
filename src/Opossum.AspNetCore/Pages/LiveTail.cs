using System.Globalization;
using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Opossum.AspNetCore.Pages;

/// <summary>
/// Sends new events to a page as server-sent events. However many are appended, a page gets at most one message a second, with the newest events.
/// </summary>
internal static class LiveTail
{
    private static readonly TimeSpan pause = TimeSpan.FromSeconds(1);
    // Proxies end connections on which nothing is sent.
    private static readonly TimeSpan silenceMax = TimeSpan.FromSeconds(15);

    public static async Task FollowAsync(PageRequest page)
    {
        var http = page.Http;
        PageRequest.Protect(http.Response);
        var filter = EventFilter.Parse(http.Request.Query);
        if (filter.Errors.Count > 0)
        {
            http.Response.StatusCode = StatusCodes.Status400BadRequest;
            return;
        }
        var after = ParseLastId(http.Request.Headers["Last-Event-ID"]) ?? filter.After
            ?? await page.Store.GetHeadAsync(page.Cancelled).ConfigureAwait(false);
        var stopping = http.RequestServices.GetService<IHostApplicationLifetime>()?.ApplicationStopping ?? CancellationToken.None;
        // A page stays connected while it is open; an app that stops does not wait for it.
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stopping, page.Cancelled);
        try
        {
            // nginx otherwise keeps messages back until its buffer is full.
            http.Response.Headers["X-Accel-Buffering"] = "no";
            await TypedResults.ServerSentEvents(MessagesAsync(page.Store, filter, after, ended.Token)).ExecuteAsync(http).ConfigureAwait(false);
        }
        finally
        {
            // Ends a wait for the next event that is still going on.
            await ended.CancelAsync().ConfigureAwait(false);
        }
    }

    private static async IAsyncEnumerable<SseItem<string>> MessagesAsync(IEventStore store, EventFilter filter, long after,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // Tells the page that it is connected.
        yield return new SseItem<string>("", "open");
        while (!cancellationToken.IsCancellationRequested)
        {
            var next = HasNextAsync(store, filter.Query, after, cancellationToken);
            while (!await IsDoneWithinAsync(next, silenceMax).ConfigureAwait(false))
                yield return new SseItem<string>("", "idle");
            if (!await next.ConfigureAwait(false))
                yield break;

            var newest = new ReadOptions { After = after, Backwards = true, Limit = EventPageReader.RowsMax + 1 };
            var rows = await EventPageReader.RowsAsync(store, filter.Query, newest, CancellationToken.None).ConfigureAwait(false);
            after = rows[0].Position;
            yield return new SseItem<string>(Message(filter, rows)) { EventId = after.ToString(CultureInfo.InvariantCulture) };
            await Task.Delay(pause, CancellationToken.None).ConfigureAwait(false);
        }
    }

    // False: the page or the app has ended, which is no error.
    private static async Task<bool> HasNextAsync(IEventStore store, Query query, long after, CancellationToken cancellationToken)
    {
        try
        {
            await foreach (var _ in store.SubscribeAsync(query, after, cancellationToken).ConfigureAwait(false))
                return true;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // As above.
        }
        return false;
    }

    private static async Task<bool> IsDoneWithinAsync(Task task, TimeSpan limit)
    {
        using var waited = new CancellationTokenSource();
        var isDone = await Task.WhenAny(task, Task.Delay(limit, waited.Token)).ConfigureAwait(false) == task;
        await waited.CancelAsync().ConfigureAwait(false);
        return isDone;
    }

    private static string Message(EventFilter filter, List<EventRow> rows) => JsonSerializer.Serialize(
        new LiveMessage(rows.Count > EventPageReader.RowsMax, [.. rows.Take(EventPageReader.RowsMax).Select(row => LiveRow.Of(filter, row))]),
        LiveJson.Default.LiveMessage);

    private static long? ParseLastId(string? text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var id) && id < long.MaxValue ? id : null;
}
