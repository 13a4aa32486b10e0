using System.Net;
using System.Net.Http.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCoreTests.Problems;

public sealed class ExceptionTests
{
    private const string SecretPath = "/srv/secret";

    [Fact]
    public async Task A_conflict_is_409_with_the_conflicting_position_and_without_the_query()
    {
        await using var app = await StartAsync(static (IEventStore store) =>
            store.AppendAsync(NewEvent.FromJson("defined", "{}"), new AppendCondition(Query.FromTags(new Tag("course", "course 1")))));
        await app.AppendAsync("other");
        var position = await app.AppendAsync("defined", "{}", new Tag("course", "course 1"));
        await app.AppendAsync("other");

        var (problem, retryAfter) = await app.GetProblemAsync("/", HttpStatusCode.Conflict);

        Assert.Equal(position, problem.GetProperty("conflictingPosition").GetInt64());
        Assert.Equal(position + 1, problem.GetProperty("head").GetInt64());
        Assert.DoesNotContain("course 1", problem.GetRawText(), StringComparison.Ordinal);
        Assert.Null(retryAfter);
    }

    [Fact]
    public async Task Personal_data_without_its_keys_is_503_for_an_operator_and_without_paths()
    {
        await using var app = await StartAsync(void () => throw new PersonalDataException(SecretPath, $"The master key in {SecretPath} is missing."));

        var (problem, retryAfter) = await app.GetProblemAsync("/", HttpStatusCode.ServiceUnavailable);

        Assert.Equal("Personal data cannot be used", problem.GetProperty("title").GetString());
        Assert.DoesNotContain(SecretPath, problem.GetRawText(), StringComparison.Ordinal);
        Assert.Null(retryAfter);
    }

    [Fact]
    public async Task A_forgotten_person_is_409_and_is_not_named()
    {
        await using var app = await StartAsync(void () => throw new PersonalDataException(path: null, "customer:c1 was forgotten.")
        {
            ForgottenPerson = new Tag("customer", "c1"),
        });

        var (problem, retryAfter) = await app.GetProblemAsync("/", HttpStatusCode.Conflict);

        Assert.Equal("The person was forgotten", problem.GetProperty("title").GetString());
        Assert.DoesNotContain("c1", problem.GetRawText(), StringComparison.Ordinal);
        Assert.False(problem.TryGetProperty("conflictingPosition", out _));
        Assert.Null(retryAfter);
    }

    public static TheoryData<Exception> Transient =>
    [
        new StoreLockTimeoutException(SecretPath, "process 7", TimeSpan.FromSeconds(1)),
        new StoreIOException(SecretPath, $"The disk of {SecretPath} is full."),
        new StoreIOException(SecretPath, $"The share {SecretPath} cannot be reached."),
        new StoreFaultedException(AppendOutcome.NothingWritten, $"A flush of {SecretPath} failed."),
    ];

    [Theory]
    [MemberData(nameof(Transient))]
    public async Task What_may_work_later_is_503_with_Retry_After_and_without_paths(Exception exception)
    {
        await using var app = await StartAsync(void () => throw exception);

        var (problem, retryAfter) = await app.GetProblemAsync("/", HttpStatusCode.ServiceUnavailable);

        Assert.Equal("5", retryAfter);
        Assert.DoesNotContain(SecretPath, problem.GetRawText(), StringComparison.Ordinal);
    }

    public static TheoryData<Exception> AfterAnAppend =>
    [
        new StoreIOException(SecretPath, $"The share {SecretPath} cannot be reached."),
        new PersonalDataException(SecretPath, $"The key {SecretPath} is held by another program.", isTransient: true),
        new PersonalDataException(SecretPath, $"The key {SecretPath} is missing."),
    ];

    [Theory]
    [MemberData(nameof(AfterAnAppend))]
    public async Task A_client_is_not_invited_to_repeat_a_request_that_may_have_stored_its_events(Exception exception)
    {
        await using var app = await StartAsync(async Task (IEventStore store) =>
        {
            await store.AppendAsync(NewEvent.FromJson("defined", "{}"));
            throw exception;
        });

        using var response = await app.Client.PostAsync("/", null);

        Assert.Equal((HttpStatusCode.ServiceUnavailable, null), (response.StatusCode, response.Headers.RetryAfter));
        Assert.DoesNotContain("Nothing was stored", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Equal(1, await app.Store.GetHeadAsync());
    }

    public static TheoryData<Exception> BeforeAnAppend =>
    [
        new StoreLockTimeoutException(SecretPath, "process 7", TimeSpan.FromSeconds(1)),
        new StoreOpenException(SecretPath, "All stores are in use.", isTransient: true),
        new StoreFaultedException(AppendOutcome.NothingWritten, $"A flush of {SecretPath} failed."),
    ];

    [Theory]
    [MemberData(nameof(BeforeAnAppend))]
    public async Task A_client_is_invited_to_repeat_a_request_whose_append_or_opening_stored_nothing(Exception exception)
    {
        await using var app = await StartAsync(void () => throw exception);

        using var response = await app.Client.PostAsync("/", null);

        Assert.Equal((HttpStatusCode.ServiceUnavailable, "5"), (response.StatusCode, response.Headers.RetryAfter?.ToString()));
    }

    [Theory]
    [InlineData(AppendOutcome.Unknown, "unknown")]
    [InlineData(AppendOutcome.Stored, "stored")]
    public async Task A_client_is_not_invited_to_repeat_what_may_be_stored(AppendOutcome outcome, string text)
    {
        await using var app = await StartAsync(void () => throw new StoreFaultedException(outcome, "A flush failed."));

        var (problem, retryAfter) = await app.GetProblemAsync("/", HttpStatusCode.InternalServerError);

        Assert.Equal(text, problem.GetProperty("outcome").GetString());
        Assert.Null(retryAfter);
    }

    [Fact]
    public async Task A_projection_that_has_stopped_is_503_without_Retry_After()
    {
        var fault = new ProjectionFault
        {
            Position = 3,
            EventType = "defined",
            Error = "A secret.",
            At = DateTimeOffset.UnixEpoch,
        };
        await using var app = await StartAsync(void () => throw new ProjectionException("seats", fault));

        var (problem, retryAfter) = await app.GetProblemAsync("/", HttpStatusCode.ServiceUnavailable);

        Assert.Equal("seats", problem.GetProperty("projection").GetString());
        Assert.DoesNotContain("secret", problem.GetRawText(), StringComparison.Ordinal);
        Assert.Null(retryAfter);
    }

    [Fact]
    public async Task A_value_that_the_store_refuses_is_400()
    {
        await using var app = await StartAsync(static string (string id) => new Tag("course", id).ToString());

        var (problem, _) = await app.GetProblemAsync($"/?id={new string('x', Tag.MaxValueLength + 1)}", HttpStatusCode.BadRequest);

        Assert.Contains("10,001 characters", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("after")]
    [InlineData("tag")]
    [InlineData("condition")]
    public async Task A_value_that_a_check_of_the_framework_refuses_for_the_store_is_400(string what)
    {
        await using var app = await StartAsync(static string (string what) => what switch
        {
            "after" => $"{new ReadOptions { After = -1 }.After}",
            "tag" => $"{new Tag("course", null!)}",
            _ => $"{new AppendCondition(null!)}",
        });

        var (problem, _) = await app.GetProblemAsync($"/?what={what}", HttpStatusCode.BadRequest);

        Assert.Equal("The event store refused a value", problem.GetProperty("title").GetString());
    }

    [Fact]
    public async Task States_that_cannot_be_read_are_503_with_the_projection_and_without_the_path()
    {
        await using var app = await StartAsync(static void () => throw new ProjectionException("seats", SecretPath, $"{SecretPath} is damaged."));

        var (problem, retryAfter) = await app.GetProblemAsync("/", HttpStatusCode.ServiceUnavailable);

        Assert.Equal("seats", problem.GetProperty("projection").GetString());
        Assert.DoesNotContain(SecretPath, problem.GetRawText(), StringComparison.Ordinal);
        Assert.Null(retryAfter);
    }

    [Fact]
    public async Task A_body_that_is_not_the_expected_JSON_is_400_and_names_the_member()
    {
        await using var app = await TestApp.StartAsync(
            static app =>
            {
                app.UseExceptionHandler();
                app.MapPost("/", static (Seats seats) => seats.Count);
            },
            static (builder, _) =>
            {
                builder.Services.AddOpossumProblemDetails();
                builder.Services.Configure<RouteHandlerOptions>(static options => options.ThrowOnBadRequest = true);
            });

        using var response = await app.Client.PostAsync("/", JsonContent.Create(new { count = "many" }));

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Contains("\"count\":[", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_body_that_is_an_array_with_a_wrong_element_names_the_element()
    {
        await using var app = await TestApp.StartAsync(
            static app =>
            {
                app.UseExceptionHandler();
                app.MapPost("/", static (Seats[] seats) => seats.Length);
            },
            static (builder, _) =>
            {
                builder.Services.AddOpossumProblemDetails();
                builder.Services.Configure<RouteHandlerOptions>(static options => options.ThrowOnBadRequest = true);
            });

        using var response = await app.Client.PostAsync("/", JsonContent.Create(new[] { new { count = "many" } }));

        Assert.Contains("\"[0].count\":[", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_faults_of_the_app_and_damaged_files_are_left_to_the_app()
    {
        await using var app = await StartAsync(static void (string kind) =>
        {
            if (kind == "check")
                ArgumentOutOfRangeException.ThrowIfNegative(-1);
            throw kind == "app" ? new ArgumentException("The app's own.")
                : new StoreDamagedException(SecretPath, 1, $"{SecretPath} is damaged.");
        });

        foreach (var kind in (string[])["app", "check", "damaged"])
        {
            var (problem, _) = await app.GetProblemAsync($"/?kind={kind}", HttpStatusCode.InternalServerError);
            Assert.False(problem.TryGetProperty("detail", out _));
        }
    }

    [Fact]
    public async Task A_client_that_accepts_no_JSON_gets_the_status()
    {
        await using var app = await StartAsync(static void () => throw new StoreIOException(SecretPath, "Not now."));
        using var request = new HttpRequestMessage(HttpMethod.Get, "/") { Headers = { { "Accept", "text/html" } } };

        using var response = await app.Client.SendAsync(request);

        Assert.Equal((HttpStatusCode.ServiceUnavailable, "5", ""),
            (response.StatusCode, response.Headers.RetryAfter?.ToString(), await response.Content.ReadAsStringAsync()));
    }

    private static Task<TestApp> StartAsync(Delegate endpoint) => TestApp.StartAsync(
        app =>
        {
            app.UseExceptionHandler();
            app.MapMethods("/", ["GET", "POST"], endpoint);
        },
        static (builder, _) => builder.Services.AddOpossumProblemDetails());

    public sealed record Seats(int Count);
}
