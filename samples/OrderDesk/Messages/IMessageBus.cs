namespace OrderDesk;

/// <summary>A message bus, which passes messages on to other programs.</summary>
internal interface IMessageBus : IAsyncDisposable
{
    /// <summary>Publishes a message. It returns when the bus has it durably, so a message is not lost, but may be published twice.</summary>
    /// <param name="message">The message. A receiver that has seen its id already ignores it.</param>
    /// <param name="cancellationToken">Cancels the wait; the message may have been published.</param>
    Task PublishAsync(Message message, CancellationToken cancellationToken);

    /// <summary>How many messages lie where, for the console.</summary>
    string Describe();
}
