namespace OrderDesk;

/// <summary>A service that sends mails, and sends one mail for an idempotency key, however often it is asked.</summary>
internal interface IMailProvider
{
    /// <summary>Sends a mail, unless one was sent with this key.</summary>
    /// <param name="mail">The mail.</param>
    /// <param name="idempotencyKey">The key: the same whenever the same mail is meant.</param>
    /// <param name="cancellationToken">Cancels the call; the mail may have been sent.</param>
    /// <returns>Whether it was sent now; false: it was sent before.</returns>
    Task<bool> SendAsync(Mail mail, string idempotencyKey, CancellationToken cancellationToken);
}
