using System.Data.Common;
using System.Transactions;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Following;
using Opossum.ProcessTests;
using Opossum.ProcessTests.Worker;
using Opossum.Projections.States;
using Opossum.Tests.Durability;

namespace Opossum.EntityFrameworkCoreTests;

/// <summary>What a projection into a database has in common with all projections: keys, forgetting, versions, bounds, reports.</summary>
public sealed class ReadModelTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private static readonly Tag ann = new("customer", "c1");

    private readonly StoreFolder folder = new();
    private readonly MasterKey masterKey = MasterKey.Create();
    private readonly Logs logs = new();
    private readonly RowReads reads = new();
    private readonly Reports reports = new();
    private readonly ServiceProvider services;

    public ReadModelTests()
    {
        services = new ServiceCollection()
            .AddDbContext<SalesContext>(options => options.UseSqlite($"Data Source={folder.Path}.db").AddInterceptors(reads))
            .BuildServiceProvider();
        using var scope = services.CreateScope();
        scope.ServiceProvider.GetRequiredService<SalesContext>().Database.EnsureCreated();
    }

    private string Keys => folder.Path + ".keys";

    private ProjectionLayout Layout => new(FilePath.Join(folder.Path, "Projections"), DbProjector.Name);

    public void Dispose()
    {
        services.Dispose();
        SqliteConnection.ClearAllPools();
        logs.Dispose();
        folder.Dispose();
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task While_the_keys_are_away_no_row_is_made_without_the_values_that_they_encrypt()
    {
        LongTests.SkipUnlessAsked();
        await RegisterAnnAsync();
        Directory.Move(Keys, Keys + ".away");
        await using var store = await OpenAsync();
        await using var running = Start(store, Naming());
        var status = await StatusOfAsync(store);
        while (status is { Problem: null, Position: 0 })
            status = await StatusOfAsync(store);

        Assert.Equal((0L, null), (status.Position, await FindSellerAsync()));
        Assert.Contains("keys of the store's personal data are missing", status.Problem!.Error, StringComparison.Ordinal);
        Assert.Null(status.Fault);
        Directory.Move(Keys + ".away", Keys);
        await store.Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken);
        Assert.Equal("Ann", await FindSellerAsync());
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Events_before_one_that_waits_for_its_key_are_in_the_rows()
    {
        await using (var first = await OpenAsync())
            await first.AppendAsync(new NewEvent(new Registered("c0", null)), cancellationToken: TestContext.Current.CancellationToken);
        await RegisterAnnAsync();
        Directory.Move(Keys, Keys + ".away");
        await using var store = await OpenAsync();
        await using var running = Start(store, Naming());

        await store.Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken);

        Assert.Equal("nobody", await FindSellerAsync());
        Assert.Equal(1, (await StatusOfAsync(store)).Position);
        Directory.Move(Keys + ".away", Keys);
        await store.Projections[DbProjector.Name].WaitForAsync(2, TestContext.Current.CancellationToken);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_rebuild_in_one_transaction_waits_for_the_keys_and_leaves_the_former_rows()
    {
        await RegisterAnnAsync();
        await using (var first = await OpenAsync())
        {
            await using var running = Start(first, Naming().RebuildInOneTransaction());
            await first.Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken);
        }
        Directory.Move(Keys, Keys + ".away");
        await using var store = await OpenAsync();
        await using var again = Start(store, Naming().RebuildInOneTransaction());

        var rebuild = store.Projections[DbProjector.Name].RebuildAsync(cancellationToken: TestContext.Current.CancellationToken);
        while (!rebuild.IsCompleted && (await StatusOfAsync(store)).Problem is null)
            await Task.Yield();

        Assert.Equal("Ann", await FindSellerAsync());
        Directory.Move(Keys + ".away", Keys);
        await rebuild;
        Assert.Equal("Ann", await FindSellerAsync());
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_share_that_is_away_once_a_rebuild_is_committed_takes_no_event_from_the_rows_and_adds_none_twice(bool inOneTransaction)
    {
        await using var store = await OpenAsync();
        var (isArmed, isAway) = (false, false);
        var (begun, free) = (new TaskCompletionSource(), new TaskCompletionSource());
        var projection = New().On("sold", async (db, e, cancellation) =>
        {
            begun.TrySetResult();
            await free.Task.WaitAsync(cancellation);
            await DbProjector.ApplyAsync(db, e, cancellation);
        }).Clear(async (db, cancellation) =>
        {
            await DbProjector.ClearAsync(db, cancellation);
            (isArmed, isAway) = (false, isArmed);
        });
        if (inOneTransaction)
            projection.RebuildInOneTransaction();
        _ = projection.Query;
        // Its rebuild is not tried again during the test.
        var host = store.ProjectionHost(new ProjectionOptions { PollInterval = TimeSpan.FromHours(1), RetryDelay = TimeSpan.Zero });
        var follower = projection.CreateFollower(host with
        {
            CatchUp = () =>
            {
                if (isAway)
                {
                    isAway = false;
                    throw new StoreIOException(folder.Path, "The share is away.");
                }
                host.CatchUp();
            },
        });
        using var stop = new CancellationTokenSource();
        var run = follower.RunAsync(stop.Token);
        await store.AppendAsync(DbProjectionTests.Sales(3), cancellationToken: TestContext.Current.CancellationToken);
        await begun.Task;
        isArmed = true;
        await store.AppendAsync(DbProjectionTests.Sales(1), cancellationToken: TestContext.Current.CancellationToken);
        await follower.Reader.SendAsync(new LeaderRequest(Guid.NewGuid(), RequestKind.Rebuild), wait: false, TestContext.Current.CancellationToken);
        free.SetResult();
        while (follower.Signals.Problem is null)
            await Task.Yield();
        await store.AppendAsync(DbProjectionTests.Sales(1), cancellationToken: TestContext.Current.CancellationToken);

        await follower.Reader.WaitForAsync(5, TestContext.Current.CancellationToken);

        await using var scope = services.CreateAsyncScope();
        var rows = scope.ServiceProvider.GetRequiredService<SalesContext>().Sales.AsNoTracking().Select(static each => each.Id);
        Assert.Equal([1, 2, 3, 4, 5], (await rows.ToListAsync()).Order());
        await stop.CancelAsync();
        await run;
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_rebuild_whose_request_is_removed_is_no_problem_any_more()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync(DbProjectionTests.Sales(1), cancellationToken: TestContext.Current.CancellationToken);
        var isAway = false;
        await using var running = Start(store, New().On("sold", DbProjector.ApplyAsync).Clear((db, cancellation) =>
            isAway ? throw new StoreIOException(folder.Path, "The share is away.") : DbProjector.ClearAsync(db, cancellation)));
        await store.Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken);
        isAway = true;
        await store.Projections[DbProjector.Name].RebuildAsync(wait: false, TestContext.Current.CancellationToken);
        while ((await StatusOfAsync(store)).Problem is null)
            await Task.Yield();
        Assert.Equal("The share is away.", (await StatusOfAsync(store)).Problem?.Error);

        Directory.Delete(Layout.Requests, recursive: true);

        while ((await StatusOfAsync(store)).Problem is not null)
            await Task.Yield();
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Keys_that_have_just_come_back_are_used()
    {
        await RegisterAnnAsync();
        Directory.Move(Keys, Keys + ".away");
        await using var store = await OpenAsync();
        Assert.NotEmpty((await store.ReadAsync(Query.All).ToListAsync()).Single().UnreadableMembers);
        Directory.Move(Keys + ".away", Keys);

        await using var running = Start(store, Naming());
        await store.Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken);

        Assert.Equal("Ann", await FindSellerAsync());
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_person_whose_key_alone_is_lost_stops_nothing()
    {
        await RegisterAnnAsync();
        File.Delete(Directory.EnumerateFiles(Keys, "*c1.json").Single());
        await using var store = await OpenAsync();

        await using var running = Start(store, Naming());
        await store.Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken);

        Assert.Equal("nobody", await FindSellerAsync());
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task An_error_is_not_written_to_the_folder_after_a_person_was_forgotten()
    {
        await RegisterAnnAsync();
        FileSystemEventStore? opened = null;
        var forgetting = new OnLog(106, () => opened!.ForgetAsync(ann, "asked for").GetAwaiter().GetResult());
        await using var store = opened = await OpenAsync(forgetting);
        await using var running = Start(store, Failing());

        await Assert.ThrowsAsync<ProjectionException>(
            () => store.Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken));

        var fault = ReadFault();
        for (; fault is null; fault = ReadFault())
            await Task.Yield();
        Assert.Equal(FollowerHost.NotKept, fault.Error);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task The_error_of_a_former_leader_is_not_written_to_a_restored_folder()
    {
        await RegisterAnnAsync();
        await using (var first = await OpenAsync())
        {
            await using var running = Start(first, Failing());
            await Assert.ThrowsAsync<ProjectionException>(
                () => first.Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken));
        }
        Directory.Delete(Layout.Root, recursive: true);
        await using var store = await OpenAsync();
        var written = new TaskCompletionSource<string>();

        await using var again = Start(store, New().On<Registered>((_, _, _) => Task.CompletedTask).Clear(async (db, cancellation) =>
        {
            written.TrySetResult(await File.ReadAllTextAsync(Layout.RowFile, cancellation));
            await DbProjector.ClearAsync(db, cancellation);
        }));

        Assert.DoesNotContain("Ann", await written.Task, StringComparison.Ordinal);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_superseded_process_says_so_once_and_takes_the_lead_no_more()
    {
        await using var store = await OpenAsync(logs);
        await using (Start(store, Selling(version: 2)))
        {
            await store.AppendAsync(DbProjectionTests.Sales(1), cancellationToken: TestContext.Current.CancellationToken);
            await store.Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken);
        }

        await using var former = Start(store, Selling());
        while (!logs.Lines.Any(static line => line.Id == 110))
            await Task.Yield();
        var led = await File.ReadAllTextAsync(Layout.LockFile, TestContext.Current.CancellationToken);
        var readsBefore = reads.Count;
        while (reads.Count < readsBefore + 5)
            await Task.Yield();

        Assert.Single(logs.Lines, static line => line.Id == 110);
        Assert.Equal(led, await File.ReadAllTextAsync(Layout.LockFile, TestContext.Current.CancellationToken));
        Assert.Equal(FollowerPhase.Superseded, (await StatusOfAsync(store)).Phase);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_batch_ends_at_eight_MiB_of_events()
    {
        await using var store = await OpenAsync();
        var large = $"\"{new string('x', 5 * 1024 * 1024)}\"";
        await store.AppendAsync([.. Enumerable.Range(0, 3).Select(_ => NewEvent.FromJson("sold", large))],
            cancellationToken: TestContext.Current.CancellationToken);
        var committed = 0L;

        await using var running = Start(store, New().On("sold", async (_, e, cancellation) =>
        {
            if (e.Position == 3)
                committed = (await ReadRowAsync()).Position;
        }).Clear(DbProjector.ClearAsync));
        await store.Projections[DbProjector.Name].WaitForAsync(3, TestContext.Current.CancellationToken);

        Assert.Equal(2, committed);
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_build_reports_its_progress_and_logs_its_end(bool inOneTransaction)
    {
        await using var store = await OpenAsync(logs);
        await store.AppendAsync(DbProjectionTests.Sales(513), cancellationToken: TestContext.Current.CancellationToken);
        var projection = Selling().SaveOncePerBatch();
        await using var running = Start(store, inOneTransaction ? projection.RebuildInOneTransaction() : projection);
        await store.Projections[DbProjector.Name].WaitForAsync(513, TestContext.Current.CancellationToken);
        await store.Projections[DbProjector.Name].RebuildAsync(cancellationToken: TestContext.Current.CancellationToken);
        await running.DisposeAsync();

        long[] batches = [512, 513];
        Assert.Equal([.. batches, .. batches], reports.All.Select(static each => each.Done));
        Assert.All(reports.All, static each => Assert.Equal((StoreOperation.ProjectionRebuild, 513L, DbProjector.Name),
            (each.Operation, each.Total, each.Projection)));
        Assert.Equal(2, logs.Lines.Count(static line => line.Id == 102));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Handlers_have_nothing_of_a_transaction_in_which_the_projection_was_started()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync(DbProjectionTests.Sales(1), cancellationToken: TestContext.Current.CancellationToken);
        var ambient = new TaskCompletionSource<Transaction?>();
        IAsyncDisposable running;
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            running = Start(store, New().On("sold", (_, _, _) =>
            {
                ambient.TrySetResult(Transaction.Current);
                return Task.CompletedTask;
            }).Clear(DbProjector.ClearAsync));
        }

        await using (running)
            Assert.Null(await ambient.Task);
    }

    private Task<FileSystemEventStore> OpenAsync(ILoggerFactory? logger = null) => FileSystemEventStore.OpenAsync(new OpossumOptions
    {
        Path = folder.Path,
        EventTypes = new EventTypeRegistry().Add<Registered>(),
        PersonalData = { MasterKey = masterKey, KeysFolder = Keys },
        LoggerFactory = logger,
    });

    private async Task RegisterAnnAsync()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync(new NewEvent(new Registered("c1", "Ann")), cancellationToken: TestContext.Current.CancellationToken);
    }

    private IAsyncDisposable Start(FileSystemEventStore store, DbProjection<SalesContext> projection) =>
        store.StartProjections([projection], new ProjectionOptions
        {
            TakeOverInterval = TimeSpan.FromMilliseconds(20),
            PollInterval = TimeSpan.FromMilliseconds(20),
            RetryDelay = TimeSpan.Zero,
            MaxRetryAttempts = 2,
            RebuildProgress = reports,
        });

    private DbProjection<SalesContext> New(int version = 1) =>
        new(DbProjector.Name, version, services.GetRequiredService<IServiceScopeFactory>());

    private DbProjection<SalesContext> Selling(int version = 1) =>
        New(version).On("sold", DbProjector.ApplyAsync).Clear(DbProjector.ClearAsync);

    private DbProjection<SalesContext> Naming() => New()
        .On<Registered>(async (db, data, e, cancellation) =>
            await db.Sales.AddAsync(new SaleRow { Id = e.Position, Seller = data.Name ?? "nobody" }, cancellation))
        .Clear(DbProjector.ClearAsync);

    private DbProjection<SalesContext> Failing() => New()
        .On<Registered>((_, data, _) => throw new FormatException($"{data.Name} has no number"))
        .Clear(DbProjector.ClearAsync);

    private async Task<string?> FindSellerAsync()
    {
        await using var scope = services.CreateAsyncScope();
        return (await scope.ServiceProvider.GetRequiredService<SalesContext>().Sales.AsNoTracking().SingleOrDefaultAsync())?.Seller;
    }

    private async Task<PositionRow> ReadRowAsync()
    {
        await using var scope = services.CreateAsyncScope();
        return await scope.ServiceProvider.GetRequiredService<SalesContext>().Set<PositionRow>().AsNoTracking().SingleAsync();
    }

    private ProjectionFault? ReadFault() => RealFileSystem.Use(files => RowFile.Read(files, Layout)?.Fault);

    private static Task<ProjectionStatus> StatusOfAsync(FileSystemEventStore store) =>
        store.Projections[DbProjector.Name].GetStatusAsync(TestContext.Current.CancellationToken);

    [EventType("registered")]
    private sealed record Registered([property: Tag("customer")] string CustomerId, [property: Personal("customer")] string? Name);

    /// <summary>Counts the statements that read.</summary>
    private sealed class RowReads : DbCommandInterceptor
    {
        private int count;

        public int Count => Volatile.Read(ref count);

        public override ValueTask<InterceptionResult<DbDataReader>> ReaderExecutingAsync(DbCommand command, CommandEventData eventData,
            InterceptionResult<DbDataReader> result, CancellationToken cancellationToken = default)
        {
            Interlocked.Increment(ref count);
            return ValueTask.FromResult(result);
        }
    }

    private sealed class Reports : IProgress<StoreProgress>
    {
        public List<StoreProgress> All { get; } = [];

        public void Report(StoreProgress value) => All.Add(value);
    }

    /// <summary>Does something at a moment that a message names.</summary>
    private sealed class OnLog(int id, Action act) : ILoggerFactory, ILogger
    {
        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (eventId.Id == id)
                act();
        }

        public void Dispose()
        {
        }
    }
}
