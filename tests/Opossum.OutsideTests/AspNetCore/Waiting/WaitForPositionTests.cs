using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Opossum.AspNetCore.Waiting;
using Opossum.Testing.Simulated;
using Opossum.Tests.Subscriptions;

namespace Opossum.AspNetCoreTests.Waiting;

public sealed class WaitForPositionTests
{
    private static readonly TimeSpan shortLimit = TimeSpan.FromMilliseconds(1);

    [Fact]
    public async Task A_read_includes_the_position_that_it_asks_for()
    {
        await using var app = await StartAsync();
        for (var round = 1; round <= 20; round++)
        {
            var position = await app.AppendAsync("counted");
            Assert.Equal($"{round}", await app.GetAsync($"/counts?after={position}"));
            Assert.Equal($"{round}", await app.GetAsync($"/by-name?after={position}"));
        }
    }

    [Fact]
    public async Task A_read_that_waits_ends_when_the_projection_gets_there()
    {
        await using var app = await StartAsync();
        var gate = app.Services.GetRequiredService<Gate>();
        gate.Opened.Reset();
        var position = await app.AppendAsync("counted");

        var answer = app.GetAsync($"/counts?after={position}");
        Assert.False(answer.IsCompleted);
        gate.Opened.Set();

        Assert.Equal("1", await answer);
    }

    [Fact]
    public async Task A_projection_that_is_late_is_503_with_Retry_After()
    {
        await using var app = await StartAsync();
        var gate = app.Services.GetRequiredService<Gate>();
        gate.Opened.Reset();
        var position = await app.AppendAsync("counted");

        var (problem, retryAfter) = await app.GetProblemAsync($"/soon?after={position}", HttpStatusCode.ServiceUnavailable);
        gate.Opened.Set();

        Assert.Equal("5", retryAfter);
        Assert.Contains($"position {position} ", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_projection_that_has_stopped_is_503_without_Retry_After()
    {
        await using var app = await StartAsync();
        var position = await app.AppendAsync("poisoned");

        var (problem, retryAfter) = await app.GetProblemAsync($"/counts?after={position}", HttpStatusCode.ServiceUnavailable);

        Assert.Equal("gated-counts", problem.GetProperty("projection").GetString());
        Assert.DoesNotContain("on purpose", problem.GetRawText(), StringComparison.Ordinal);
        Assert.Null(retryAfter);
    }

    [Theory]
    [InlineData("-1")]
    [InlineData("+1")]
    [InlineData("1.5")]
    [InlineData("1,000")]
    [InlineData("%201")]
    [InlineData("one")]
    [InlineData("9223372036854775808")]
    [InlineData("1&after=1")]
    public async Task What_is_no_position_is_400(string after)
    {
        await using var app = await StartAsync();
        await app.AppendAsync("counted");

        foreach (var path in (string[])["/counts", "/head", "/group/counts"])
        {
            var (problem, _) = await app.GetProblemAsync($"{path}?after={after}", HttpStatusCode.BadRequest);
            Assert.Equal("This must be one position: a whole number from 0.", problem.GetProperty("errors").GetProperty("after")[0].GetString());
        }
    }

    [Theory]
    [InlineData("/soon")]
    [InlineData("/head")]
    public async Task A_position_beyond_the_last_one_is_400(string path)
    {
        await using var app = await StartAsync();
        await app.AppendAsync("counted");

        var (problem, _) = await app.GetProblemAsync($"{path}?after=2", HttpStatusCode.BadRequest);

        Assert.Equal("There is no event at position 2; the last position is 1.", problem.GetProperty("errors").GetProperty("after")[0].GetString());
    }

    [Theory]
    [InlineData("/counts")]
    [InlineData("/counts?after=")]
    [InlineData("/counts?after=0")]
    [InlineData("/head?after=0")]
    [InlineData("/head?after=1")]
    [InlineData("/group/counts?after=1")]
    public async Task What_is_there_is_not_waited_for(string path)
    {
        await using var app = await StartAsync();
        await app.AppendAsync("other");

        Assert.NotEmpty(await app.GetAsync(path));
    }

    [Fact]
    public async Task A_position_that_another_process_appends_meanwhile_is_waited_for()
    {
        await using var app = await StartAsync();

        var answer = app.GetAsync("/patient-head?after=1");
        await app.AppendAsync("other");

        Assert.Equal("1", await answer);
    }

    [Theory]
    [InlineData(false, StatusCodes.Status400BadRequest, "")]
    [InlineData(true, StatusCodes.Status503ServiceUnavailable, "5")]
    public async Task A_position_that_a_share_may_show_later_is_503_with_Retry_After(bool isShare, int status, string retryAfter)
    {
        using var place = StorePlace.On(isShare ? VolumeKind.Nfs : VolumeKind.Ext4);
        await using var services = ServicesOf(place.Open()).BuildServiceProvider();
        var http = RequestOf(services);

        var answer = await WaitInVainAsync(new PositionGate(new StoreWait(null), shortLimit), http);

        Assert.Equal(status, answer);
        Assert.Equal(retryAfter, http.Response.Headers.RetryAfter.ToString());
    }

    [Theory]
    [InlineData(false, StatusCodes.Status400BadRequest)]
    [InlineData(true, StatusCodes.Status503ServiceUnavailable)]
    public async Task A_store_whose_status_cannot_be_read_says_nothing_about_the_others(bool isShare, int status)
    {
        using var place = StorePlace.On(isShare ? VolumeKind.Nfs : VolumeKind.Ext4);
        using var closedPlace = StorePlace.On(VolumeKind.Ext4);
        var closed = closedPlace.Open();
        closedPlace.CloseStores();
        await using var services = ServicesOf(place.Open()).AddSingleton<IFileSystemEventStore>(closed).BuildServiceProvider();

        Assert.Equal(status, await WaitInVainAsync(new PositionGate(new StoreWait(null), shortLimit), RequestOf(services)));
    }

    [Fact(Timeout = 60_000)]
    public async Task Requests_look_for_a_share_together_and_find_no_position_while_nothing_is_found()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var slow = new SlowStore(place.Open());
        await using var services = ServicesOf(slow).BuildServiceProvider();
        var clock = (HandDrivenClock)services.GetRequiredService<TimeProvider>();
        var gate = new PositionGate(new StoreWait(null), TimeSpan.FromHours(1));

        List<Task<IResult?>> answers = [gate.WaitAsync(RequestOf(services)), gate.WaitAsync(RequestOf(services))];
        while (!answers.TrueForAll(static answer => answer.IsCompleted))
        {
            clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }

        Assert.Equal([400, 400], answers.Select(static answer => StatusOf(answer.Result)));
        Assert.Equal(1, slow.Looks);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_share_that_hangs_keeps_no_request_for_long()
    {
        var clock = new HandDrivenClock();
        await using var services = new ServiceCollection().AddSingleton<TimeProvider>(clock).BuildServiceProvider();

        var answer = new PositionGate(new HangingWait(), shortLimit).WaitAsync(RequestOf(services));
        while (!answer.IsCompleted)
        {
            clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }

        Assert.Equal(StatusCodes.Status503ServiceUnavailable, StatusOf(await answer));
    }

    [Fact(Timeout = 60_000)]
    public async Task Nothing_waits_on_when_the_head_cannot_be_read()
    {
        var wait = new HeadlessWait();
        await using var services = new ServiceCollection().BuildServiceProvider();

        await Assert.ThrowsAsync<IOException>(() => new PositionGate(wait, TimeSpan.FromHours(1)).WaitAsync(RequestOf(services)));

        await wait.Ended;
    }

    [Fact]
    public void A_limit_that_is_not_allowed_is_refused_when_the_endpoint_is_mapped()
    {
        var app = WebApplication.CreateSlimBuilder().Build();

        Assert.Throws<ArgumentOutOfRangeException>(() => app.MapGet("/", static () => "").WaitForPosition(TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => app.MapGroup("/").WaitForPosition<Count>(Timeout.InfiniteTimeSpan));
    }

    private static Task<TestApp> StartAsync() => TestApp.StartAsync(
        static app =>
        {
            app.MapGet("/counts", CountAsync).WaitForPosition<Count>();
            app.MapGet("/by-name", CountAsync).WaitForProjection("gated-counts");
            app.MapGet("/soon", CountAsync).WaitForPosition<Count>(shortLimit);
            app.MapGet("/head", HeadAsync).WaitForPosition(shortLimit);
            app.MapGet("/patient-head", HeadAsync).WaitForPosition();
            app.MapGroup("/group").WaitForPosition<Count>().WaitForPosition().MapGet("/counts", CountAsync);
        },
        static (builder, store) =>
        {
            builder.Services.AddSingleton<Gate>();
            builder.Services.AddProblemDetails();
            builder.Services.Configure<ProjectionOptions>(static options =>
            {
                options.MaxRetryAttempts = 0;
                options.WriteInterval = TimeSpan.Zero;
            });
            store.AddProjection<GatedCounts>();
        });

    private static async Task<int> CountAsync(IProjectionStore<Count> counts) => (await counts.GetAsync("all"))?.Events ?? 0;

    private static Task<long> HeadAsync(IEventStore store) => store.GetHeadAsync();

    private static IServiceCollection ServicesOf(IFileSystemEventStore store) => new ServiceCollection()
        .AddSingleton<TimeProvider>(new HandDrivenClock()).AddSingleton<IEventStore>(store).AddKeyedSingleton("s", store);

    // The limit passes, and no time after it.
    private static async Task<int?> WaitInVainAsync(PositionGate gate, HttpContext http)
    {
        var answer = gate.WaitAsync(http);
        ((HandDrivenClock)http.RequestServices.GetRequiredService<TimeProvider>()).Advance(shortLimit);
        return StatusOf(await answer);
    }

    private static int? StatusOf(IResult? answer) => Assert.IsType<IStatusCodeHttpResult>(answer, exactMatch: false).StatusCode;

    private static DefaultHttpContext RequestOf(IServiceProvider services)
    {
        var http = new DefaultHttpContext { RequestServices = services };
        http.Request.QueryString = new QueryString("?after=1");
        return http;
    }

    private sealed class HeadlessWait : PositionWait
    {
        private readonly TaskCompletionSource ended = new();

        public Task Ended => ended.Task;

        public override async Task WaitAsync(IServiceProvider services, long position, CancellationToken cancellationToken)
        {
            try
            {
                await Task.Delay(Timeout.Infinite, cancellationToken);
            }
            finally
            {
                ended.SetResult();
            }
        }

        public override Task<long> GetHeadAsync(IServiceProvider services, CancellationToken cancellationToken) =>
            throw new IOException("The head cannot be read, on purpose.");
    }

    private sealed class HangingWait : PositionWait
    {
        public override Task WaitAsync(IServiceProvider services, long position, CancellationToken cancellationToken) =>
            new TaskCompletionSource().Task;

        public override Task<long> GetHeadAsync(IServiceProvider services, CancellationToken cancellationToken) =>
            new TaskCompletionSource<long>().Task;
    }

    /// <summary>A store whose status takes without end.</summary>
    private sealed class SlowStore(FileSystemEventStore store) : IFileSystemEventStore
    {
        private int looks;

        public int Looks => looks;

        public ProjectionCollection Projections => store.Projections;

        public ReactionCollection Reactions => store.Reactions;

        public Task<StoreStatus> GetStatusAsync(bool withSizes = false, CancellationToken cancellationToken = default)
        {
            Interlocked.Increment(ref looks);
            return new TaskCompletionSource<StoreStatus>().Task;
        }

        public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
            CancellationToken cancellationToken = default) => store.AppendAsync(events, condition, cancellationToken);

        public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default) =>
            store.ReadAsync(query, options, cancellationToken);

        // At once: no time passes meanwhile.
        public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) => Task.FromResult(0L);

        public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
            store.SubscribeAsync(query, after, cancellationToken);
    }
}
