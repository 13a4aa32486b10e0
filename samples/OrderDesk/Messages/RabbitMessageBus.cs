using System.Globalization;
using RabbitMQ.Client;

namespace OrderDesk;

/// <summary>Publishes to a queue of RabbitMQ, with publisher confirms.</summary>
internal sealed class RabbitMessageBus : IMessageBus
{
    private const string Exchange = "order-desk";
    private const string Queue = "order-desk";

    private readonly IConnection connection;
    private readonly IChannel channel;
    private int published;

    private RabbitMessageBus(IConnection connection, IChannel channel)
    {
        this.connection = connection;
        this.channel = channel;
    }

    /// <summary>Connects, and creates the exchange and the queue if they are missing.</summary>
    public static async Task<RabbitMessageBus> ConnectAsync(Uri address, CancellationToken cancellationToken)
    {
        var factory = new ConnectionFactory { Uri = address, ClientProvidedName = "order-desk" };
        var connection = await factory.CreateConnectionAsync(cancellationToken);
        try
        {
            // With these, a publication returns when the server has confirmed it, and throws when it has refused it.
            var confirms = new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true);
            var channel = await connection.CreateChannelAsync(confirms, cancellationToken);
            await channel.ExchangeDeclareAsync(Exchange, ExchangeType.Topic, durable: true, cancellationToken: cancellationToken);
            await channel.QueueDeclareAsync(Queue, durable: true, exclusive: false, autoDelete: false, cancellationToken: cancellationToken);
            await channel.QueueBindAsync(Queue, Exchange, "#", cancellationToken: cancellationToken);
            return new RabbitMessageBus(connection, channel);
        }
        catch
        {
            await connection.DisposeAsync();
            throw;
        }
    }

    public async Task PublishAsync(Message message, CancellationToken cancellationToken)
    {
        var properties = new BasicProperties
        {
            MessageId = message.Id,
            Type = message.Type,
            ContentType = "application/json",
            // On the server's disk before it confirms.
            Persistent = true,
        };
        // Mandatory: a message that no queue takes is refused, not dropped.
        await channel.BasicPublishAsync(Exchange, message.Type, mandatory: true, properties, message.Json, cancellationToken);
        published++;
    }

    public string Describe() => string.Create(CultureInfo.InvariantCulture,
        $"{published} messages published to the queue {Queue} of {connection.Endpoint.HostName}");

    public async ValueTask DisposeAsync()
    {
        await channel.DisposeAsync();
        await connection.DisposeAsync();
    }
}
