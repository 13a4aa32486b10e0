using System.Globalization;
using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Mvc;
using Opossum;

namespace CourseManagement;

/// <summary>Notifies pages of new events, so that they reload their lists.</summary>
public static class ChangeEndpoint
{
    public static void MapChanges(this IEndpointRouteBuilder app) => app.MapGet("/api/changes", Follow).WithTags("Changes");

    /// <summary>Follows the store: the position of the last event, then of each event that is appended, as server-sent events.</summary>
    public static ServerSentEventsResult<long> Follow(
        IEventStore store, IHostApplicationLifetime lifetime, [FromHeader(Name = "Last-Event-ID")] long? lastEventId,
        CancellationToken cancellationToken) =>
        TypedResults.ServerSentEvents(PositionsAsync(store, lastEventId, lifetime.ApplicationStopping, cancellationToken));

    private static async IAsyncEnumerable<SseItem<long>> PositionsAsync(
        IEventStore store, long? lastEventId, CancellationToken stopping, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // A page stays connected while it is open; a stopping host does not wait for it.
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stopping, cancellationToken);
        var head = await store.GetHeadAsync(ended.Token);
        // A page may have seen events that the store has lost since, when an older backup was restored.
        if (lastEventId is { } last)
            head = Math.Clamp(last, 0, head);
        yield return At(head);
        await using var events = store.SubscribeAsync(Query.All, head, ended.Token).GetAsyncEnumerator(CancellationToken.None);
        while (await HasNextAsync(events))
            yield return At(events.Current.Position);
    }

    // The page or the host may end at any time, which is not an error.
    private static async Task<bool> HasNextAsync(IAsyncEnumerator<SequencedEvent> events)
    {
        try
        {
            return await events.MoveNextAsync();
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private static SseItem<long> At(long position) => new(position) { EventId = position.ToString(CultureInfo.InvariantCulture) };
}
