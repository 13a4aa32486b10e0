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

        Assert.Equal(2, (await store.BuildDecisionModelAsync(NextInvoiceNumber)).State);
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

    private static async Task<FileSystemEventStore> OpenStoreAsync(params object[] given)
    {
        var options = new OpossumOptions();
        options.EventTypes
            .Add<CourseDefined>().Add<StudentSubscribed>().Add<InvoiceCreated>()
            .Add<AccountRegistered>().Add<AccountClosed>().Add<UsernameChanged>();
        var store = InMemoryEventStore.Open(options);
        foreach (var data in given)
            await store.AppendAsync(new NewEvent(data));
        return store;
    }
}
