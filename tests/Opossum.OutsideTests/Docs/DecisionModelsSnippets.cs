using System.Collections.Immutable;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Opossum.Testing;

namespace Opossum.DocTests;

[EventType("account-registered")]
public record AccountRegistered([property: Tag("username")] string Username);

[EventType("account-closed")]
public record AccountClosed([property: Tag("username")] string Username);

[EventType("username-changed")]
public record UsernameChanged([property: Tag("username")] string OldUsername, [property: Tag("username")] string NewUsername);

[EventType("invoice-created")]
public record InvoiceCreated([property: Tag("invoice")] int Number, [property: Tag("customer")] string CustomerId);

[EventType("sign-up-initiated")]
public record SignUpInitiated([property: Tag("email")] string Address, [property: Tag("token")] string Token, string Name);

[EventType("sign-up-confirmed")]
public record SignUpConfirmed([property: Tag("email")] string Address, [property: Tag("token")] string Token, string Name);

public record SignUp(string Name, bool IsUsed, bool IsExpired);

[EventType("product-defined")]
public record ProductDefined([property: Tag("product")] string Product, decimal Price);

[EventType("product-price-changed")]
public record ProductPriceChanged([property: Tag("product")] string Product, decimal NewPrice);

[EventType("products-ordered")]
public record ProductsOrdered([property: Tag("product")] string[] Products, decimal Total);

public record CartItem(string Product, decimal DisplayedPrice);

[EventType("payment-received")]
public record PaymentReceived([property: Tag("payment")] string PaymentId, [property: Tag("idempotency")] string Token, decimal Amount);

public sealed class CourseAggregate
{
    private int free;

    public List<NewEvent> RecordedEvents { get; } = [];

    public static CourseAggregate Reconstitute(IEnumerable<object> events)
    {
        var course = new CourseAggregate();
        foreach (var e in events)
            course.free += e is CourseDefined defined ? defined.Seats : -1;
        return course;
    }

    public void Subscribe(string student)
    {
        if (free == 0)
            throw new InvalidOperationException("The course is fully booked.");
        free--;
        RecordedEvents.Add(new NewEvent(new StudentSubscribed("c1", student)));
    }
}

public sealed class CourseRepository(IEventStore store)
{
    public async Task ExecuteAsync(string course, Action<CourseAggregate> act)
    {
        var history = DecisionProjection.Create(ImmutableList<object>.Empty, new Tag("course", course))
            .On<CourseDefined>((events, defined) => events.Add(defined))
            .On<StudentSubscribed>((events, subscribed) => events.Add(subscribed));
        await store.ExecuteDecisionAsync(history, events =>
        {
            var aggregate = CourseAggregate.Reconstitute(events);
            act(aggregate);
            return aggregate.RecordedEvents;
        });
    }
}

public sealed class DecisionModelsSnippets : DocumentCode
{
    private readonly TimeProvider time = TimeProvider.System;

    public static DecisionProjection<int> FreeSeats(string course) =>
        DecisionProjection.Create(0, new Tag("course", course))
            .On<CourseDefined>((_, defined) => defined.Seats)
            .On<StudentSubscribed>((free, _) => free - 1);

    public static DecisionProjection<int> CoursesOf(string student) =>
        DecisionProjection.Create(0, new Tag("student", student))
            .On<StudentSubscribed>((count, _) => count + 1);

    public static DecisionProjection<bool> IsSubscribed(string course, string student) =>
        DecisionProjection.Create(false, new Tag("course", course), new Tag("student", student))
            .On<StudentSubscribed>((_, _) => true);

    public static DecisionProjection<(int FreeSeats, int CoursesOfStudent, bool IsSubscribed)> Subscription(string course, string student) =>
        DecisionProjection.Combine(FreeSeats(course), CoursesOf(student), IsSubscribed(course, student));

    public static DecisionProjection<int> NextInvoiceNumber { get; } =
        DecisionProjection.Create(1)
            .On<InvoiceCreated>((_, created) => created.Number + 1)
            .LastEventOnly();

    public static DecisionProjection<bool> IsClaimed(string username, DateTimeOffset now) =>
        DecisionProjection.Create(false, new Tag("username", username))
            .On<AccountRegistered>((_, _) => true)
            .On<AccountClosed>((_, _, e) => now - e.Timestamp <= TimeSpan.FromDays(3))
            .On<UsernameChanged>((_, changed, e) => changed.NewUsername == username || now - e.Timestamp <= TimeSpan.FromDays(3));

    public static DecisionProjection<SignUp?> PendingSignUp(string address, string token, DateTimeOffset now) =>
        DecisionProjection.Create<SignUp?>(null, new Tag("email", address), new Tag("token", token))
            .On<SignUpInitiated>((_, initiated, e) => new SignUp(initiated.Name, IsUsed: false, IsExpired: now - e.Timestamp > TimeSpan.FromHours(1)))
            .On<SignUpConfirmed>((signUp, _) => signUp! with { IsUsed = true });

    public static DecisionProjection<decimal[]> ValidPrices(string product, DateTimeOffset now) =>
        DecisionProjection.Create<decimal[]>([], new Tag("product", product))
            .On<ProductDefined>((_, defined) => [defined.Price])
            .On<ProductPriceChanged>((prices, changed, e) => now - e.Timestamp <= TimeSpan.FromMinutes(10) ? [.. prices,
                changed.NewPrice] : [changed.NewPrice]);

    [Fact]
    public async Task Seats()
    {
        await using var store = await OpenStoreAsync(new CourseDefined("c1", 3));

        var result = await store.ExecuteDecisionAsync(
            FreeSeats("c1"),
            free => free > 0 ? [new NewEvent(new StudentSubscribed("c1", "s1"))] : []);

        var (free, nothingNew) = await store.BuildDecisionModelAsync(FreeSeats("c1"));
        if (free > 0)
            await store.AppendAsync(new NewEvent(new StudentSubscribed("c1", "s2")), nothingNew);

        await store.ExecuteDecisionAsync(Subscription("c1", "s3"), state => state switch
        {
            { IsSubscribed: true } => throw new InvalidOperationException("The student has subscribed to the course already."),
            { FreeSeats: <= 0 } => throw new InvalidOperationException("The course is fully booked."),
            { CoursesOfStudent: >= 5 } => throw new InvalidOperationException("The student has subscribed to 5 courses already."),
            _ => [new NewEvent(new StudentSubscribed("c1", "s3"))],
        });

        Assert.Equal((3, 2, 4), (result.State, free, await store.GetHeadAsync()));
        Assert.Equal((0, 1, true), (await store.BuildDecisionModelAsync(Subscription("c1", "s3"))).State);
    }

    [Fact]
    public async Task Web_app()
    {
        var builder = WebApplication.CreateSlimBuilder(["--urls=http://127.0.0.1:0"]);
        builder.Services.AddSingleton<IEventStore>(await OpenStoreAsync(new CourseDefined("c1", 1)));
        await using var app = builder.Build();

        app.MapPost("/courses/{course}/students/{student}", async (string course, string student, IEventStore store, CancellationToken cancellationToken) =>
        {
            var decision = await store.ExecuteDecisionAsync(
                FreeSeats(course),
                free => free > 0 ? [new NewEvent(new StudentSubscribed(course, student))] : [],
                cancellationToken: cancellationToken);
            return decision.Appended is { } positions
                ? Results.Ok(new { Position = positions.LastPosition, FreeSeats = decision.State - 1 })
                : Results.Conflict("The course is fully booked.");
        });

        await app.StartAsync(TestContext.Current.CancellationToken);
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
        using var first = await client.PostAsync(new Uri("/courses/c1/students/s1", UriKind.Relative), null);
        using var second = await client.PostAsync(new Uri("/courses/c1/students/s2", UriKind.Relative), null);
        Assert.Equal("""{"position":2,"freeSeats":0}""", await first.Content.ReadAsStringAsync());
        Assert.Equal(System.Net.HttpStatusCode.Conflict, second.StatusCode);
        await app.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Invoices()
    {
        await using var store = await OpenStoreAsync();

        var retry = new DecisionRetry
        {
            MaxRetryAttempts = 5,
            Delay = TimeSpan.FromMilliseconds(20),
            MaxDelay = TimeSpan.FromMilliseconds(500),
        };
        await store.ExecuteDecisionAsync(NextInvoiceNumber, next => [new NewEvent(new InvoiceCreated(next, "c7"))], retry);

        var created = await store.ExecuteDecisionAsync(NextInvoiceNumber, next => [new NewEvent(new InvoiceCreated(next, "c9"))]);
        Console.WriteLine($"Invoice {created.State} is event {created.Appended!.Value.LastPosition}.");

        Assert.Equal(2, created.State);
    }

    [Fact]
    public async Task Usernames()
    {
        await using var store = await OpenStoreAsync(new AccountRegistered("grace"), new UsernameChanged("grace", "hopper"), new AccountClosed("hopper"));

        var registered = await store.ExecuteDecisionAsync(
            IsClaimed("ada", time.GetUtcNow()),
            isClaimed => isClaimed ? [] : [new NewEvent(new AccountRegistered("ada"))]);

        Assert.NotNull(registered.Appended);
        Assert.True((await store.BuildDecisionModelAsync(IsClaimed("hopper", time.GetUtcNow().AddDays(2)))).State);
        Assert.False((await store.BuildDecisionModelAsync(IsClaimed("hopper", time.GetUtcNow().AddDays(4)))).State);
    }

    [Fact]
    public async Task Tokens()
    {
        await using var store = await OpenStoreAsync(new SignUpInitiated("ada@example.com", "444444", "Ada"));

        var confirmed = await store.ExecuteDecisionAsync(
            PendingSignUp("ada@example.com", "444444", time.GetUtcNow()),
            signUp => signUp is { IsUsed: false, IsExpired: false } ? [new NewEvent(new SignUpConfirmed("ada@example.com", "444444", signUp.Name))] : []);
        var answer = confirmed.State switch
        {
            null => "There is no such sign-up.",
            { IsUsed: true } => "The token was used already.",
            { IsExpired: true } => "The token has expired.",
            _ => "Welcome!",
        };

        Assert.Equal("Welcome!", answer);
        Assert.True((await store.BuildDecisionModelAsync(PendingSignUp("ada@example.com", "444444", time.GetUtcNow()))).State!.IsUsed);
    }

    [Fact]
    public async Task Carts()
    {
        await using var store = await OpenStoreAsync(new ProductDefined("p1", 10), new ProductPriceChanged("p1", 12), new ProductDefined("p2", 5));
        CartItem[] cart = [new("p1", 10), new("p2", 5)];

        var now = time.GetUtcNow();
        var ordered = await store.ExecuteDecisionAsync(
            DecisionProjection.Combine(cart.Select(item => ValidPrices(item.Product, now))),
            prices => cart.Zip(prices).All(each => each.Second.Contains(each.First.DisplayedPrice))
                ? [new NewEvent(new ProductsOrdered([.. cart.Select(item => item.Product)], cart.Sum(item => item.DisplayedPrice)))]
                : []);

        Assert.Equal(4, ordered.Appended?.LastPosition);
    }

    [Fact]
    public async Task Aggregates()
    {
        await using var store = await OpenStoreAsync(new CourseDefined("c1", 1));
        var courses = new CourseRepository(store);

        await courses.ExecuteAsync("c1", course => course.Subscribe("s1"));

        await Assert.ThrowsAsync<InvalidOperationException>(() => courses.ExecuteAsync("c1", course => course.Subscribe("s2")));
    }

    [Fact]
    public async Task Payments()
    {
        await using var store = await OpenStoreAsync();

        Assert.Equal("p1", await PayAsync(store, "p1", "11111"));
        Assert.Equal("p1", await PayAsync(store, "p2", "11111"));
    }

    private static async Task<string> PayAsync(IEventStore store, string paymentId, string token)
    {
        var payment = await store.ExecuteDecisionAsync(
            DecisionProjection.Create<string?>(null, new Tag("idempotency", token)).On<PaymentReceived>((_, received) => received.PaymentId),
            known => known is null ? [new NewEvent(new PaymentReceived(paymentId, token, 12.50m))] : []);
        return payment.State ?? paymentId;
    }

    private static async Task<FileSystemEventStore> OpenStoreAsync(params object[] given)
    {
        var options = new OpossumOptions();
        options.EventTypes
            .Add<CourseDefined>().Add<StudentSubscribed>().Add<InvoiceCreated>()
            .Add<AccountRegistered>().Add<AccountClosed>().Add<UsernameChanged>()
            .Add<SignUpInitiated>().Add<SignUpConfirmed>()
            .Add<ProductDefined>().Add<ProductPriceChanged>().Add<ProductsOrdered>()
            .Add<PaymentReceived>();
        var store = InMemoryEventStore.Open(options);
        foreach (var data in given)
            await store.AppendAsync(new NewEvent(data));
        return store;
    }
}
