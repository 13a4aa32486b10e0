using System.Globalization;
using Opossum;

namespace OrderDesk;

/// <summary>Sends a mail for each order that is paid or has expired, and notes in the store that it is sent.</summary>
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
        On<OrderPaid>((paid, context, cancellationToken) => SendAsync(paid.Order,
            static order => string.Create(CultureInfo.InvariantCulture, $"Thank you. We have received {order.Euros:0.00} EUR."),
            context, cancellationToken));
        On<OrderExpired>((expired, context, cancellationToken) => SendAsync(expired.Order,
            static _ => "We have received no payment, and have cancelled it.", context, cancellationToken));
    }

    private async Task SendAsync(string id, Func<Order, string> textOf, ReactionContext context, CancellationToken cancellationToken)
    {
        var (order, _) = await store.BuildDecisionModelAsync(Order.Of(id), cancellationToken);
        var mail = new Mail(order!.Customer, $"Your order {id}", textOf(order));
        // Without the key a second attempt would send a second mail: the program may end after the provider has sent the first one, and before
        // it is recorded that the event is handled.
        var isNew = await provider.SendAsync(mail, context.IdempotencyKey, cancellationToken);
        Console.WriteLine($"order {id}: mail to {mail.To}{(isNew ? "" : ", which was sent before")}{Attempts.Of(context)}");
        if (isNew)
            whenSent();
        // Stored once, however often this handler runs.
        await context.AppendAsync(new NewEvent(new ConfirmationSent(id)), cancellationToken: cancellationToken);
    }
}
