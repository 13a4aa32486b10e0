using System.Text.Json;
using RabbitMQ.Client;

namespace Opossum.SampleTests;

/// <summary>The sample OrderDesk: what it refuses, and how often mails and messages are there after it was killed.</summary>
public sealed class OrderDeskTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private string Desk => Path.Combine(folder, "desk");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Theory]
    [InlineData("--quick")]
    [InlineData("--orders", "-1")]
    [InlineData("--folder", "")]
    [InlineData("--crash", "now")]
    [InlineData("--rabbitmq", "localhost")]
    public async Task Options_that_it_does_not_know_are_refused(params string[] arguments)
    {
        var (exitCode, _, error) = await SampleProgram.RunAsync("OrderDesk", null, arguments);

        Assert.Equal(1, exitCode);
        Assert.NotEmpty(error);
    }

    [Fact]
    public async Task Foreign_store_and_foreign_folder_are_refused_before_anything_is_done()
    {
        var options = new OpossumOptions { Path = Path.Combine(Desk, "store") };
        await using (var store = await FileSystemEventStore.OpenAsync(options, TestContext.Current.CancellationToken))
            await store.AppendAsync(NewEvent.FromJson("something-else", "{}"), cancellationToken: TestContext.Current.CancellationToken);

        var (exitCode, output, error) = await SampleProgram.RunAsync("OrderDesk", null, "--folder", Desk);
        Assert.Equal((1, ""), (exitCode, output));
        Assert.Contains("holds events of the type \"something-else\"", error, StringComparison.Ordinal);

        (exitCode, output, error) = await SampleProgram.RunAsync("OrderDesk", null, "--folder", options.Path);
        Assert.Equal((1, ""), (exitCode, output));
        Assert.Contains("is not that of an order desk", error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Path.Combine(Desk, "mails")));
        Assert.False(Directory.Exists(Path.Combine(options.Path, "store")));
    }

    [Fact]
    public async Task Mail_that_was_sent_before_a_kill_is_not_sent_again()
    {
        await RunKilledAsync("mail");
        // Mails of other orders may have been sent side by side.
        Assert.NotEmpty(Directory.GetFiles(Path.Combine(Desk, "mails"), "*.txt"));

        var output = await RunAsync("--orders", "0");

        Assert.Contains(", which was sent before (attempt 2)", output, StringComparison.Ordinal);
        var events = await ReadAsync();
        var placed = events.FindAll(e => e.Type == "order-placed").ConvertAll(OrderOf);
        Assert.NotEmpty(placed);
        Assert.Equal(placed.Order(), events.FindAll(e => e.Type is "order-paid" or "order-expired").ConvertAll(OrderOf).Order());
        Assert.Equal(placed.Order(), events.FindAll(e => e.Type == "confirmation-sent").ConvertAll(OrderOf).Order());
        var mails = Directory.GetFiles(Path.Combine(Desk, "mails"), "*.txt").Select(File.ReadAllText).ToList();
        Assert.Equal(placed.Count, mails.Count);
        Assert.All(placed, order => Assert.Single(mails, mail => mail.Contains($"Your order {order}\n", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Message_that_was_published_before_a_kill_is_published_again_with_the_same_id()
    {
        await RunKilledAsync("message");
        var output = await RunAsync("--orders", "0");

        Assert.Contains("(attempt 2)", output, StringComparison.Ordinal);
        var ids = (await File.ReadAllLinesAsync(Path.Combine(Desk, "messages.jsonl"), TestContext.Current.CancellationToken)).Select(line =>
            JsonDocument.Parse(line).RootElement.GetProperty("id").GetString()!).ToList();
        Assert.Equal(await CountPublishedAsync(), ids.Distinct().Count());
        Assert.Equal(ids.Distinct().Count() + 1, ids.Count);
        Assert.Equal(ids[0], ids[1]);
    }

    [Fact]
    public async Task Messages_are_in_the_queue_of_RabbitMQ_at_least_once_and_in_order_after_a_kill()
    {
        LongTests.SkipUnlessAsked();
        Assert.SkipWhen(RabbitServer.FindObstacle() is not null, RabbitServer.FindObstacle() ?? "");
        var cancellationToken = TestContext.Current.CancellationToken;
        using var server = await RabbitServer.StartAsync(Path.Combine(folder, "rabbitmq"), cancellationToken);
        await RunKilledAsync("message", "--rabbitmq", $"{server.Address}");
        await RunAsync("--orders", "2", "--rabbitmq", $"{server.Address}");

        await using var connection = await new ConnectionFactory { Uri = server.Address }.CreateConnectionAsync(cancellationToken);
        await using var channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
        var messages = new List<(string Id, string Type)>();
        while (await channel.BasicGetAsync("order-desk", autoAck: true, cancellationToken) is { } message)
        {
            Assert.True(message.BasicProperties.Persistent);
            messages.Add((message.BasicProperties.MessageId!, message.BasicProperties.Type!));
        }
        Assert.Equal(messages[0], messages[1]);
        var published = (await ReadAsync()).FindAll(IsPublished).ConvertAll(e => e.Type);
        Assert.Equal(published, messages.Distinct().Select(message => message.Type));
        Assert.Equal(published.Count + 1, messages.Count);
    }

    private async Task RunKilledAsync(string place, params string[] arguments)
    {
        var (exitCode, output, _) = await SampleProgram.RunAsync("OrderDesk", null, ["--short", "--folder", Desk, "--crash", place, .. arguments]);
        Assert.NotEqual(0, exitCode);
        Assert.Contains("The program kills itself now.", output, StringComparison.Ordinal);
    }

    private async Task<string> RunAsync(params string[] arguments)
    {
        var (exitCode, output, error) = await SampleProgram.RunAsync("OrderDesk", null, ["--folder", Desk, .. arguments]);
        Assert.True(exitCode == 0, error);
        return output;
    }

    private async Task<int> CountPublishedAsync() => (await ReadAsync()).Count(IsPublished);

    private static bool IsPublished(SequencedEvent e) => e.Type is not ("confirmation-sent" or "closing-published");

    private static string OrderOf(SequencedEvent e) => e.Tags.Single(tag => tag.Key == "order").Value;

    private async Task<List<SequencedEvent>> ReadAsync()
    {
        var cancellationToken = TestContext.Current.CancellationToken;
        var options = new OpossumOptions { Path = Path.Combine(Desk, "store"), ReadOnly = true };
        await using var store = await FileSystemEventStore.OpenAsync(options, cancellationToken);
        return await store.ReadAsync(Query.All, cancellationToken: cancellationToken).ToListAsync(cancellationToken);
    }
}
