using Opossum;

namespace OrderDesk;

/// <summary>One run of the program: a place where it waits for what the reactions append.</summary>
internal sealed class Desk(IEventStore store, string name)
{
    /// <summary>Waits until every order in the store has its mail, also those that an earlier run left.</summary>
    public async Task WaitForConfirmationsAsync(CancellationToken cancellationToken)
    {
        var head = await store.GetHeadAsync(cancellationToken);
        if (head == 0)
            return;
        var waiting = new HashSet<string>(StringComparer.Ordinal);
        await foreach (var e in store.SubscribeAsync(Query.All, cancellationToken: cancellationToken))
        {
            if (e.Data is OrderPlaced placed)
                waiting.Add(placed.Order);
            if (e.Data is ConfirmationSent sent)
                waiting.Remove(sent.Order);
            if (e.Position >= head && waiting.Count == 0)
                return;
        }
    }

    /// <summary>Appends the closing, and waits until it is published: the messages keep their order, so all others are published then.</summary>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        var closing = await store.AppendAsync(new NewEvent(new DeskClosed(name)), cancellationToken: cancellationToken);
        await foreach (var _ in store.SubscribeAsync(Query.For<ClosingPublished>(new Tag("desk", name)), closing.LastPosition, cancellationToken))
            return;
    }
}
