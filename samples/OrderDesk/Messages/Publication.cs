using Opossum;

namespace OrderDesk;

/// <summary>Publishes events to a message bus, in their order. The store is the outbox: what is stored is published, and nothing else is.</summary>
internal sealed class Publication : Reaction
{
    private readonly IMessageBus bus;
    private readonly Action whenPublished;

    /// <param name="bus">The bus.</param>
    /// <param name="whenPublished">Called after a message was published, before it is recorded that its event is handled.</param>
    public Publication(IMessageBus bus, Action whenPublished)
        : base("publication")
    {
        this.bus = bus;
        this.whenPublished = whenPublished;
        StartFrom(ReactionStart.Beginning);
        // No key: the order of all messages is that of the events.
        On<OrderPlaced>((_, context, cancellationToken) => PublishAsync(context, cancellationToken));
        On<OrderPaid>((_, context, cancellationToken) => PublishAsync(context, cancellationToken));
        On<OrderExpired>((_, context, cancellationToken) => PublishAsync(context, cancellationToken));
        On<DeskClosed>(CloseAsync);
    }

    private async Task CloseAsync(DeskClosed closed, ReactionContext context, CancellationToken cancellationToken)
    {
        await PublishAsync(context, cancellationToken);
        await context.AppendAsync(new NewEvent(new ClosingPublished(closed.Desk)), cancellationToken: cancellationToken);
    }

    private async Task PublishAsync(ReactionContext context, CancellationToken cancellationToken)
    {
        var e = context.Event;
        try
        {
            await bus.PublishAsync(new Message(context.IdempotencyKey, e.Type, e.Json), cancellationToken);
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            // The reaction tries again, and the messages after this one wait.
            await Console.Error.WriteLineAsync($"event {e.Position} is not published: {error.Message}");
            throw;
        }
        Console.WriteLine($"event {e.Position}: published as {e.Type}{Attempts.Of(context)}");
        whenPublished();
    }
}
