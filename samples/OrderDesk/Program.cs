// An order desk: what happens because something happened. Orders are placed and paid; an order that is not paid in time expires, each order
// has one mail, and each event is published to a message bus. Kill it at any moment and start it again: nothing is lost, no mail is sent twice.
//
//   dotnet run --project samples/OrderDesk                                       a temporary folder
//   dotnet run --project samples/OrderDesk -- --folder desk --crash mail         kills itself after it has sent a mail; start it again
//   dotnet run --project samples/OrderDesk -- --rabbitmq amqp://localhost        publishes to RabbitMQ

using System.CommandLine;
using System.Diagnostics;
using Opossum;
using OrderDesk;
using RabbitMQ.Client.Exceptions;

var folderOption =
    new Option<string?>("--folder")
    {
        Description = "The folder of store, mails and messages, which is kept [default: a temporary one, deleted at the end]",
        HelpName = "path"
    };
folderOption.Validators.Add(result =>
{
    if (result.GetValueOrDefault<string?>() is "")
        result.AddError("--folder must not be empty.");
});
var ordersOption = new Option<int>("--orders") { Description = "How many orders, 0 to 1000", HelpName = "number", DefaultValueFactory = _ => 6 };
ordersOption.Validators.Add(result =>
{
    if (result.GetValueOrDefault<int>() is < 0 or > 1000)
        result.AddError("--orders must lie between 0 and 1000.");
});
var rabbitOption =
    new Option<string?>("--rabbitmq")
    {
        Description = "The address of a RabbitMQ server, such as amqp://user:password@host:5672 [default: a file takes the messages]",
        HelpName = "address"
    };
rabbitOption.Validators.Add(result =>
{
    if (result.GetValueOrDefault<string?>() is { } text && !(Uri.TryCreate(text, UriKind.Absolute, out var uri) && uri.Scheme is "amqp" or "amqps"))
        result.AddError($"--rabbitmq needs an address such as amqp://localhost, but is \"{text}\".");
});
var crashOption =
    new Option<string?>("--crash")
    {
        Description = "Kill the program after its first mail or message, before it is recorded that the event is handled",
        HelpName = "mail|message"
    };
crashOption.AcceptOnlyFromAmong("mail", "message");
var paymentOption =
    new Option<double>("--payment-time")
    {
        Description = "How many seconds after it was placed an order expires, unless it is paid: 0.1 to 3600",
        HelpName = "seconds",
        DefaultValueFactory = _ => 3
    };
paymentOption.Validators.Add(result =>
{
    if (result.GetValueOrDefault<double>() is not (>= 0.1 and <= 3600))
        result.AddError("--payment-time must lie between 0.1 and 3600.");
});
var shortOption = new Option<bool>("--short") { Description = "The same as --orders 3 --payment-time 1" };

var root =
    new RootCommand("Simulates an order desk: reactions send mails and publish messages, once for each event, whatever crashes.")
    {
        folderOption, ordersOption, paymentOption, rabbitOption, crashOption, shortOption,
    };
root.SetAction(RunAsync);
try
{
    return await root.Parse(args).InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
}
catch (Exception e) when (e is EventStoreException or BrokerUnreachableException)
{
    Console.Error.WriteLine(e.InnerException is { } cause ? $"{e.Message} {cause.Message}" : e.Message);
    return 1;
}
catch (OperationCanceledException)
{
    Console.Error.WriteLine("Cancelled. What is left to do is done by the next run on the same folder.");
    return 1;
}

async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
{
    var named = arguments.GetValue(folderOption);
    if (named is not null && await new DeskFolder(Path.GetFullPath(named)).FindStrangerAsync(cancellationToken) is { } problem)
    {
        Console.Error.WriteLine(problem);
        return 1;
    }
    var path = named is null ? Directory.CreateTempSubdirectory("opossum-desk-").FullName : Path.GetFullPath(named);
    try
    {
        await RunDeskAsync(new DeskFolder(path), arguments, cancellationToken);
        return 0;
    }
    finally
    {
        if (named is null)
        {
            Directory.Delete(path, recursive: true);
            Console.WriteLine("The folder was a temporary one and is gone now. To keep one, name it: --folder desk");
        }
    }
}

async Task RunDeskAsync(DeskFolder folder, ParseResult arguments, CancellationToken cancellationToken)
{
    var mails = new FolderMailProvider(folder.Mails);
    await using var store = await folder.OpenAsync(cancellationToken);
    await using var bus = arguments.GetValue(rabbitOption) is { } address
        ? await RabbitMessageBus.ConnectAsync(new Uri(address), cancellationToken)
        : (IMessageBus)new FileMessageBus(folder.Messages);
    var crash = arguments.GetValue(crashOption);
    var isShort = arguments.GetValue(shortOption);
    Reaction[] reactions =
    [
        new PaymentDeadlines(TimeSpan.FromSeconds(isShort ? 1 : arguments.GetValue(paymentOption))),
        new ConfirmationMails(store, mails, () => KillIf(crash == "mail")),
        new Publication(bus, () => KillIf(crash == "message")),
    ];
    await using (store.StartReactions(reactions))
    {
        var name = Guid.NewGuid().ToString("n")[..6];
        var desk = new Desk(store, name);
        await new Customers(store).PlaceAndPayAsync(isShort ? 3 : arguments.GetValue(ordersOption), name, cancellationToken);
        await desk.WaitForConfirmationsAsync(cancellationToken);
        await desk.CloseAsync(cancellationToken);
    }
    Console.WriteLine();
    Console.WriteLine($"{mails.Count} mails in {folder.Mails}, one for each order");
    Console.WriteLine(bus.Describe());
}

// As abrupt as a power cut: nothing is recorded, no handler ends.
static void KillIf(bool crashes)
{
    if (!crashes)
        return;
    Console.WriteLine("The program kills itself now. Start it again with the same --folder.");
    Process.GetCurrentProcess().Kill();
    Thread.Sleep(Timeout.Infinite);
}
