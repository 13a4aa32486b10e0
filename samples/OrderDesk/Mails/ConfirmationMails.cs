using System.Globalization;
using Opossum;

namespace OrderDesk;

/// <summary>Sends a mail for each paid order, and notes in the store that it is sent.</summary>
internal sealed class ConfirmationMails : Reaction
{
    private readonly IEventStore store;
    private readonly IMailProvider provider;
    private readonly Action whenSent;

    /// <param name="store">The events.</param>
    /// <param name="provider">Sends the mails.</param>
    /// <param name="whenSent">Called after a mail was sent, before anything is noted of it.</param>
    public ConfirmationMails(IEventStore store, IMailProvider provider, Action whenSent)
        : base("confirmation-mails")
    {
        this.store = store;
        this.provider = provider;
        this.whenSent = whenSent;
        StartFrom(ReactionStart.Beginning);
        // The mails of different orders are sent side by side.
        KeyBy("order");
        On<OrderPaid>(SendAsync);
    }

    private async Task SendAsync(OrderPaid paid, ReactionContext context, CancellationToken cancellationToken)
    {
        var (order, _) = await store.BuildDecisionModelAsync(Order.Of(paid.Order), cancellationToken);
        var mail = new Mail(order!.Customer, $"Your order {paid.Order}",
            string.Create(CultureInfo.InvariantCulture, $"Thank you. We have received {order.Euros:0.00} EUR."));
        // Without the key a second attempt would send a second mail: the program may end after the provider has sent the first one, and before
        // it is recorded that the event is handled.
        var isNew = await provider.SendAsync(mail, context.IdempotencyKey, cancellationToken);
        Console.WriteLine($"order {paid.Order}: mail to {mail.To}{(isNew ? "" : ", which was sent before")}{Attempts.Of(context)}");
        if (isNew)
            whenSent();
        // Stored once, however often this handler runs.
        await context.AppendAsync(new NewEvent(new ConfirmationSent(paid.Order)), cancellationToken: cancellationToken);
    }
}
