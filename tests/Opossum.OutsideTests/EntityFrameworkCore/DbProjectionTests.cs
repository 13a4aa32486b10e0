using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Opossum.EntityFrameworkCore;
using Opossum.Following;
using Opossum.Maintenance;
using Opossum.ProcessTests;
using Opossum.ProcessTests.Worker;
using Opossum.Projections.States;

namespace Opossum.EntityFrameworkCoreTests;

/// <summary>What a projection into a database promises, on each database.</summary>
public abstract class DbProjectionTests : IDisposable
{
    protected const int HangMilliseconds = 60_000;

    private readonly StoreFolder folder = new();

    public static MatrixTheoryData<FailingStep, bool> Steps => new(Enum.GetValues<FailingStep>(), [false, true]);

    public void Dispose()
    {
        DropDatabase();
        folder.Dispose();
        GC.SuppressFinalize(this);
    }

    [Theory]
    [MemberData(nameof(Steps))]
    public async Task Each_event_counts_once_whichever_step_fails(FailingStep step, bool savesOnce)
    {
        await CreateDatabaseAsync();
        var failing = new FailingOnce(step);
        using var host = DbProjector.Build(folder.Path, options => Use(options.AddInterceptors(failing)), sales =>
        {
            sales.On("sold", async (db, e, cancellation) =>
            {
                failing.At(FailingStep.BeforeHandler);
                await DbProjector.ApplyAsync(db, e, cancellation);
                failing.At(FailingStep.AfterHandler);
            }).Clear((db, cancellation) => db.Sales.ExecuteDeleteAsync(cancellation));
            if (savesOnce)
                sales.SaveOncePerBatch();
        });
        await host.StartAsync(TestContext.Current.CancellationToken);
        await SellAndWaitAsync(host, 10);
        failing.Arm();

        await SellAndWaitAsync(host, 20);

        Assert.True(failing.HasFailed);
        await AssertExactAsync(30);
    }

    [Fact]
    public async Task Of_two_hosts_one_applies_each_event_and_the_other_continues_when_it_stops()
    {
        LongTests.SkipUnlessAsked();
        await CreateDatabaseAsync();
        using var one = await StartAsync();
        using var other = await StartAsync();
        await SellAndWaitAsync(one, 600);
        await StoreOf(other).Projections[DbProjector.Name].WaitForAsync(600, TestContext.Current.CancellationToken);
        var leads = new List<bool>();
        foreach (var host in (IHost[])[one, other])
            leads.Add((await StatusOfAsync(host)).IsLeader);

        await one.StopAsync(TestContext.Current.CancellationToken);
        await SellAndWaitAsync(other, 10);

        Assert.Single(leads, leads => leads);
        await AssertExactAsync(610);
    }

    [Fact]
    public async Task A_former_leader_commits_nothing()
    {
        await CreateDatabaseAsync();
        using (var host = await StartAsync())
        {
            await SellAndWaitAsync(host, 5);
            var scopes = host.Services.GetRequiredService<IServiceScopeFactory>();
            var positions = new ContextPositions<SalesContext>(new DbProjection<SalesContext>(DbProjector.Name, 1, scopes), scopes);
            var row = (await positions.ReadAsync(CancellationToken.None))!;
            var former = row with { Term = row.Term - 1 };
            var behind = row with { Position = row.Position - 1 };

            foreach (var known in (PositionRow[])[former, behind])
            {
                await Assert.ThrowsAsync<LeadershipLostException>(() => positions.CommitAsync(known, known with { Position = 99 },
                    rows => rows.ClearAsync(CancellationToken.None), CancellationToken.None));
            }
        }
        await AssertExactAsync(5);
    }

    [Fact]
    public async Task A_leader_whose_row_another_has_taken_begins_again_where_that_one_is()
    {
        await CreateDatabaseAsync();
        using var host = await StartAsync();
        await SellAndWaitAsync(host, 5);
        await WithContextAsync(db => db.Database.ExecuteSqlRawAsync("update opossum_positions set term = term + 1"));

        await SellAndWaitAsync(host, 5);

        await AssertExactAsync(10);
    }

    [Fact]
    public async Task A_higher_version_and_a_request_build_the_rows_again()
    {
        LongTests.SkipUnlessAsked();
        await CreateDatabaseAsync();
        using (var host = await StartAsync())
        {
            await SellAndWaitAsync(host, 700);
            await host.StopAsync(TestContext.Current.CancellationToken);
        }
        await WithContextAsync(db => db.Totals.ExecuteDeleteAsync());
        using var higher = await StartAsync(version: 2);
        await StoreOf(higher).Projections[DbProjector.Name].WaitForAsync(700, TestContext.Current.CancellationToken);
        await AssertExactAsync(700);
        await WithContextAsync(db => db.Sales.ExecuteDeleteAsync());

        await StoreOf(higher).Projections[DbProjector.Name].RebuildAsync(cancellationToken: TestContext.Current.CancellationToken);

        await AssertExactAsync(700);
        Assert.Equal(FollowerPhase.Running, (await StatusOfAsync(higher)).Phase);
        using var former = await StartAsync();
        await higher.StopAsync(TestContext.Current.CancellationToken);
        while ((await StatusOfAsync(former)).Phase == FollowerPhase.Starting)
            await Task.Yield();
        Assert.Equal(FollowerPhase.Superseded, (await StatusOfAsync(former)).Phase);
    }

    [Fact]
    public async Task It_stops_at_an_event_that_fails_and_continues_when_that_is_skipped()
    {
        await CreateDatabaseAsync();
        using var host = BuildFailing(static e => e.Position == 7);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var projection = StoreOf(host).Projections[DbProjector.Name];

        var stopped = await Assert.ThrowsAsync<ProjectionException>(() => SellAndWaitAsync(host, 12));
        Assert.Equal(7, stopped.Fault!.Position);
        var status = await StatusOfAsync(host);
        Assert.Equal((FollowerPhase.Halted, 6L, 6L), (status.Phase, status.Position, status.Lag));
        await AssertExactAsync(6);
        await projection.SkipAsync(7, "a test", cancellationToken: TestContext.Current.CancellationToken);
        await projection.WaitForAsync(12, TestContext.Current.CancellationToken);

        Assert.Equal([7L], (await StatusOfAsync(host)).Skipped);
        await WithContextAsync(async db => Assert.Equal(11, await db.Sales.CountAsync()));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Events_before_the_one_that_fails_can_be_waited_for_also_those_that_it_does_not_handle()
    {
        await CreateDatabaseAsync();
        using var host = BuildFailing(static e => e.Position == 4);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var projection = StoreOf(host).Projections[DbProjector.Name];
        await SellAndWaitAsync(host, 1);
        await StoreOf(host).AppendAsync([NewEvent.FromJson("other", "{}"), NewEvent.FromJson("other", "{}"), .. Sales(1)],
            cancellationToken: TestContext.Current.CancellationToken);

        await Assert.ThrowsAsync<ProjectionException>(() => projection.WaitForAsync(4, TestContext.Current.CancellationToken));
        await projection.WaitForAsync(3, TestContext.Current.CancellationToken);

        Assert.Equal((FollowerPhase.Halted, 3L), ((await StatusOfAsync(host)).Phase, (await StatusOfAsync(host)).Position));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_rebuild_that_stops_at_an_event_says_so_and_another_ends_once_that_is_mended()
    {
        await CreateDatabaseAsync();
        var isFailing = true;
        using var host = BuildFailing(e => e.Position == 7 && isFailing);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var projection = StoreOf(host).Projections[DbProjector.Name];
        await Assert.ThrowsAsync<ProjectionException>(() => SellAndWaitAsync(host, 12));

        var stopped = await Assert.ThrowsAsync<ProjectionException>(
            () => projection.RebuildAsync(cancellationToken: TestContext.Current.CancellationToken));

        Assert.Equal(7, stopped.Fault!.Position);
        Assert.Equal(0, (await StatusOfAsync(host)).OpenRequests);
        await AssertExactAsync(6);
        isFailing = false;
        await projection.RebuildAsync(cancellationToken: TestContext.Current.CancellationToken);
        await AssertExactAsync(12);
    }

    [Fact]
    public async Task Readers_see_the_former_rows_until_a_rebuild_in_one_transaction_is_committed()
    {
        LongTests.SkipUnlessAsked();
        await CreateDatabaseAsync();
        var seen = new List<int>();
        var isWatching = false;
        using var host = DbProjector.Build(folder.Path, Use, sales => sales
            .On("sold", async (db, e, cancellation) =>
            {
                if (isWatching && e.Position is 1 or 600)
                    await WithContextAsync(async reader => seen.Add(await reader.Sales.CountAsync(cancellation)));
                await DbProjector.ApplyAsync(db, e, cancellation);
            })
            .Clear(DbProjector.ClearAsync)
            .RebuildInOneTransaction());
        await host.StartAsync(TestContext.Current.CancellationToken);
        await SellAndWaitAsync(host, 700);
        await WithContextAsync(db => db.Totals.ExecuteDeleteAsync());
        seen.Clear();
        isWatching = true;

        await StoreOf(host).Projections[DbProjector.Name].RebuildAsync(cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal([700, 700], seen);
        await AssertExactAsync(700);
        Assert.Equal((FollowerPhase.Running, 700L), ((await StatusOfAsync(host)).Phase, (await StatusOfAsync(host)).Position));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_store_that_cannot_be_read_during_a_rebuild_in_one_transaction_leaves_the_former_rows()
    {
        await CreateDatabaseAsync();
        var seen = new List<int>();
        var failures = 0;
        using var host = DbProjector.Build(folder.Path, Use, sales => sales
            .On("sold", async (db, e, cancellation) =>
            {
                if (failures > 0 && e.Position == 1)
                    await WithContextAsync(async reader => seen.Add(await reader.Sales.CountAsync(cancellation)));
                if (e.Position == 12 && failures-- > 0)
                    throw new StoreIOException(folder.Path, "The share is away.");
                await DbProjector.ApplyAsync(db, e, cancellation);
            })
            .Clear(DbProjector.ClearAsync)
            .RebuildInOneTransaction());
        await host.StartAsync(TestContext.Current.CancellationToken);
        await SellAndWaitAsync(host, 12);
        failures = 2;

        await StoreOf(host).Projections[DbProjector.Name]
            .RebuildAsync(cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal([12, 12], seen);
        await AssertExactAsync(12);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_rebuild_in_one_transaction_waits_for_an_event_that_cannot_be_read_and_the_rows_are_kept_up_to_date()
    {
        await CreateDatabaseAsync();
        var isAway = false;
        using var host = DbProjector.Build(folder.Path, Use, sales => sales
            .On("sold", (db, e, cancellation) => isAway && e.Position == 2 ? throw new StoreIOException(folder.Path, "The share is away.")
                : DbProjector.ApplyAsync(db, e, cancellation))
            .Clear(DbProjector.ClearAsync)
            .RebuildInOneTransaction());
        await host.StartAsync(TestContext.Current.CancellationToken);
        await SellAndWaitAsync(host, 3);
        isAway = true;
        var rebuilt = StoreOf(host).Projections[DbProjector.Name].RebuildAsync(cancellationToken: TestContext.Current.CancellationToken);
        while ((await StatusOfAsync(host)).Problem is null)
            await Task.Yield();

        await SellAndWaitAsync(host, 2);

        await AssertExactAsync(5);
        Assert.Equal("The share is away.", (await StatusOfAsync(host)).Problem?.Error);
        isAway = false;
        await rebuilt;
        await AssertExactAsync(5);
        Assert.Null((await StatusOfAsync(host)).Problem);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_rebuild_in_one_transaction_that_meets_an_event_of_a_newer_version_is_tried_once_by_a_process_of_the_former_one()
    {
        await CreateDatabaseAsync();
        var (isFormer, applied) = (false, 0);
        using var host = DbProjector.Build(folder.Path, Use, sales => sales
            .On("sold", (db, e, cancellation) =>
            {
                if (isFormer && e.Position == 3)
                    throw new EventDataException("sold", 3, "A newer version of the app has written it.") { IsOfNewerVersion = true };
                applied++;
                return DbProjector.ApplyAsync(db, e, cancellation);
            })
            .Clear(DbProjector.ClearAsync)
            .RebuildInOneTransaction());
        await host.StartAsync(TestContext.Current.CancellationToken);
        await SellAndWaitAsync(host, 3);
        var begun = await FindTermAsync();
        (isFormer, applied) = (true, 0);
        await StoreOf(host).Projections[DbProjector.Name].RebuildAsync(wait: false, TestContext.Current.CancellationToken);
        // It leads again and again, since no other process does.
        while (await FindTermAsync() < begun + 3 * Leadership.Numbers)
            await Task.Yield();

        Assert.Equal(2, applied);
        Assert.Contains("newer version", (await StatusOfAsync(host)).Problem?.Error, StringComparison.Ordinal);
        await AssertExactAsync(3);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_rebuild_in_one_transaction_that_fails_stops_at_the_event_as_one_in_place_does()
    {
        await CreateDatabaseAsync();
        var isFailing = false;
        using var host = DbProjector.Build(folder.Path, Use, sales => sales
            .On("sold", (db, e, cancellation) => e.Position == 7 && isFailing ? throw new FormatException("poison")
                : DbProjector.ApplyAsync(db, e, cancellation))
            .Clear(DbProjector.ClearAsync)
            .RebuildInOneTransaction());
        await host.StartAsync(TestContext.Current.CancellationToken);
        await SellAndWaitAsync(host, 12);
        isFailing = true;

        var stopped = await Assert.ThrowsAsync<ProjectionException>(() =>
            StoreOf(host).Projections[DbProjector.Name].RebuildAsync(cancellationToken: TestContext.Current.CancellationToken));

        Assert.Equal(7, stopped.Fault!.Position);
        await AssertExactAsync(6);
        isFailing = false;
        await StoreOf(host).Projections[DbProjector.Name].RetryAsync(cancellationToken: TestContext.Current.CancellationToken);
        await StoreOf(host).Projections[DbProjector.Name].WaitForAsync(12, TestContext.Current.CancellationToken);
        await AssertExactAsync(12);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_process_that_knows_only_the_folder_sees_how_far_it_is_and_where_it_has_stopped_and_can_ask_for_a_skip()
    {
        LongTests.SkipUnlessAsked();
        await CreateDatabaseAsync();
        using var host = DbProjector.Build(folder.Path, Use, sales => sales
            .On("sold", (db, e, cancellation) => e.Position == 7 ? throw new FormatException("poison") : DbProjector.ApplyAsync(db, e, cancellation))
            .Clear(DbProjector.ClearAsync), version: 3);
        await host.StartAsync(TestContext.Current.CancellationToken);
        await SellAndWaitAsync(host, 5);
        await using var other = await folder.OpenAsync();
        var projection = other.Projections[DbProjector.Name];
        await projection.WaitForAsync(5, TestContext.Current.CancellationToken);
        var before = await projection.GetStatusAsync(TestContext.Current.CancellationToken);

        await Assert.ThrowsAsync<ProjectionException>(() => SellAndWaitAsync(host, 3));
        await Assert.ThrowsAsync<ProjectionException>(() => projection.WaitForAsync(8, TestContext.Current.CancellationToken));
        var stopped = await projection.GetStatusAsync(TestContext.Current.CancellationToken);
        await projection.SkipAsync(7, "a test", cancellationToken: TestContext.Current.CancellationToken);
        await projection.WaitForAsync(8, TestContext.Current.CancellationToken);

        Assert.Contains(DbProjector.Name, await other.Projections.ListAsync(TestContext.Current.CancellationToken));
        Assert.Equal((FollowerPhase.NotRunHere, 3, 5L, 0L), (before.Phase, before.Version, before.Position, before.Lag));
        Assert.Equal((FollowerPhase.Halted, 6L, 7L, 2L), (stopped.Phase, stopped.Position, stopped.Fault!.Position, stopped.Lag));
        Assert.Equal([7L], (await projection.GetStatusAsync(TestContext.Current.CancellationToken)).Skipped);
        await Assert.ThrowsAsync<ProjectionException>(
            () => other.Projections.Get<JsonNode>(DbProjector.Name).GetAsync("key", TestContext.Current.CancellationToken));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_redaction_has_the_rows_built_again()
    {
        await CreateDatabaseAsync();
        using var host = await StartNamingAsync();
        await SellByAnnAsync(host);

        var report = await StoreRepair.RedactAsync(folder.Path, [1], ["seller"], "asked for",
            cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal([DbProjector.Name], report.Projections);
        var seller = "ann";
        while (seller != "nobody")
            seller = await FindSellerAsync();
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_redaction_of_a_store_whose_folder_says_nothing_of_the_rows_has_them_built_again(bool inOneTransaction)
    {
        await CreateDatabaseAsync();
        using (var host = await StartNamingAsync(inOneTransaction))
        {
            await SellByAnnAsync(host);
            await host.StopAsync(TestContext.Current.CancellationToken);
        }
        // As in a backup.
        Directory.Delete(Path.Combine(folder.Path, "Projections"), recursive: true);
        await StoreRepair.RedactAsync(folder.Path, [1], ["seller"], "asked for", cancellationToken: TestContext.Current.CancellationToken);

        using var again = await StartNamingAsync(inOneTransaction);
        // It runs, too, before it has seen that they are to be built.
        while (await StatusOfAsync(again) is not { Phase: FollowerPhase.Running, OpenRequests: 0 })
            await Task.Yield();

        Assert.Equal("nobody", await FindSellerAsync());
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_database_that_is_older_than_a_redaction_has_its_rows_built_again(bool inOneTransaction)
    {
        await CreateDatabaseAsync();
        PositionRow? former = null;
        using (var host = await StartNamingAsync(inOneTransaction))
        {
            await SellByAnnAsync(host);
            await WithContextAsync(async db => former = await db.Set<PositionRow>().AsNoTracking().SingleAsync());
            await StoreRepair.RedactAsync(folder.Path, [1], ["seller"], "asked for", cancellationToken: TestContext.Current.CancellationToken);
            while (await FindSellerAsync() != "nobody" || (await StatusOfAsync(host)).OpenRequests > 0)
                await Task.Yield();
            await host.StopAsync(TestContext.Current.CancellationToken);
        }
        // As in a backup of the database.
        await WithContextAsync(db => db.Sales.ExecuteUpdateAsync(static set => set.SetProperty(row => row.Seller, "ann")));
        await WithContextAsync(db => db.Set<PositionRow>().ExecuteUpdateAsync(set => set.SetProperty(row => row.Term, former!.Term)));

        using var again = await StartNamingAsync(inOneTransaction);
        while (await StatusOfAsync(again) is not { Phase: FollowerPhase.Running, OpenRequests: 0 })
            await Task.Yield();

        Assert.Equal("nobody", await FindSellerAsync());
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_higher_version_that_mends_a_stop_has_not_stopped_while_it_builds_the_rows()
    {
        await CreateDatabaseAsync();
        using (var stopping = BuildFailing(static e => e.Position == 2))
        {
            await stopping.StartAsync(TestContext.Current.CancellationToken);
            await Assert.ThrowsAsync<ProjectionException>(() => SellAndWaitAsync(stopping, 3));
            await stopping.StopAsync(TestContext.Current.CancellationToken);
        }
        var isBuilding = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var mayBuild = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var one = BuildHigher();
        using var other = BuildHigher();
        await one.StartAsync(TestContext.Current.CancellationToken);
        await isBuilding.Task;
        await other.StartAsync(TestContext.Current.CancellationToken);
        while ((await StatusOfAsync(other)).Phase == FollowerPhase.Starting)
            await Task.Yield();

        Assert.Null((await StatusOfAsync(one)).Fault);
        Assert.Equal((FollowerPhase.Rebuilding, null), ((await StatusOfAsync(other)).Phase, (await StatusOfAsync(other)).Fault));
        await Assert.ThrowsAsync<InvalidOperationException>(() => StoreOf(other).Projections[DbProjector.Name].SkipAsync(2, "a test", wait: false,
            cancellationToken: TestContext.Current.CancellationToken));
        mayBuild.SetResult();
        await StoreOf(other).Projections[DbProjector.Name].WaitForAsync(3, TestContext.Current.CancellationToken);
        await AssertExactAsync(3);

        IHost BuildHigher() => DbProjector.Build(folder.Path, Use, sales => sales
            .On("sold", async (db, e, cancellation) =>
            {
                isBuilding.TrySetResult();
                await mayBuild.Task.WaitAsync(cancellation);
                await DbProjector.ApplyAsync(db, e, cancellation);
            })
            .Clear(DbProjector.ClearAsync)
            .RebuildInOneTransaction(), version: 2);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task States_that_a_projection_of_the_name_had_before_are_gone()
    {
        await CreateDatabaseAsync();
        var projections = Path.Combine(folder.Path, "Projections");
        await using (var store = await folder.OpenAsync())
        {
            await store.AppendAsync(Sales(1), cancellationToken: TestContext.Current.CancellationToken);
            await using (store.StartProjections([new States()]))
                await store.Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken);
            Assert.NotEmpty(Directory.EnumerateFiles(projections, "s0.json", SearchOption.AllDirectories));
        }

        using var host = await StartAsync();
        await SellAndWaitAsync(host, 1);

        Assert.Empty(Directory.EnumerateFiles(projections, "s0.json", SearchOption.AllDirectories));
        var projection = StoreOf(host).Projections[DbProjector.Name];
        await Assert.ThrowsAsync<NotSupportedException>(
            () => projection.GetStoredStateAsync("s0", TestContext.Current.CancellationToken));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Rows_of_events_that_were_cut_off_satisfy_nobody_who_waits()
    {
        LongTests.SkipUnlessAsked();
        await CreateDatabaseAsync();
        using (var host = await StartAsync())
        {
            await SellAndWaitAsync(host, 2);
            await SellAndWaitAsync(host, 3);
            await host.StopAsync(TestContext.Current.CancellationToken);
        }
        await StoreRepair.TruncateAsync(folder.Path, after: 2, cancellationToken: TestContext.Current.CancellationToken);
        var mayClear = new TaskCompletionSource();
        using var again = DbProjector.Build(folder.Path, Use, sales => sales.On("sold", DbProjector.ApplyAsync).Clear(async (db, cancellation) =>
        {
            await mayClear.Task.WaitAsync(cancellation);
            await DbProjector.ClearAsync(db, cancellation);
        }));
        await again.StartAsync(TestContext.Current.CancellationToken);

        await StoreOf(again).AppendAsync(Sales(1), cancellationToken: TestContext.Current.CancellationToken);
        var waiting = StoreOf(again).Projections[DbProjector.Name].WaitForAsync(3, TestContext.Current.CancellationToken);

        Assert.Equal(0, (await StatusOfAsync(again)).Position);
        Assert.False(waiting.IsCompleted);
        mayClear.SetResult();
        await waiting;
        await AssertExactAsync(3);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_build_whose_end_was_cut_off_ends_all_the_same()
    {
        await CreateDatabaseAsync();
        using (var host = await StartAsync())
        {
            await SellAndWaitAsync(host, 5);
            await host.StopAsync(TestContext.Current.CancellationToken);
        }
        await WithContextAsync(db => db.Database.ExecuteSqlRawAsync("update opossum_positions set target = 9"));

        using var again = await StartAsync();
        await SellAndWaitAsync(again, 1);

        Assert.Equal(FollowerPhase.Running, (await StatusOfAsync(again)).Phase);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_stop_at_an_event_that_is_not_handled_any_more_is_over()
    {
        await CreateDatabaseAsync();
        using (var host = DbProjector.Build(folder.Path, Use, sales => sales
            .On("sold", DbProjector.ApplyAsync).On("other", (_, _, _) => throw new FormatException("poison")).Clear(DbProjector.ClearAsync)))
        {
            await host.StartAsync(TestContext.Current.CancellationToken);
            await SellAndWaitAsync(host, 2);
            await StoreOf(host).AppendAsync([NewEvent.FromJson("other", "{}")], cancellationToken: TestContext.Current.CancellationToken);
            await Assert.ThrowsAsync<ProjectionException>(
                () => StoreOf(host).Projections[DbProjector.Name].WaitForAsync(3, TestContext.Current.CancellationToken));
            await host.StopAsync(TestContext.Current.CancellationToken);
        }

        using var without = await StartAsync();
        while ((await StatusOfAsync(without)).Phase == FollowerPhase.Starting)
            await Task.Yield();
        await StoreOf(without).Projections[DbProjector.Name].WaitForAsync(3, TestContext.Current.CancellationToken);

        Assert.Equal((FollowerPhase.Running, null), ((await StatusOfAsync(without)).Phase, (await StatusOfAsync(without)).Fault));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task An_error_that_no_database_stores_as_it_is_stops_the_projection_all_the_same()
    {
        await CreateDatabaseAsync();
        var error = $"\0{new string('x', 3_998)}\ud83d\ude00";
        using var host = DbProjector.Build(folder.Path, Use, sales => sales
            .On("sold", (_, _, _) => throw new FormatException(error)).Clear(DbProjector.ClearAsync));
        await host.StartAsync(TestContext.Current.CancellationToken);

        var stopped = await Assert.ThrowsAsync<ProjectionException>(() => SellAndWaitAsync(host, 1));

        Assert.StartsWith("\ufffdxxx", stopped.Fault!.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_missing_table_is_named_in_the_status()
    {
        using var host = await StartAsync();

        Assert.Contains("dotnet ef migrations add", (await StatusOfAsync(host)).Problem!.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Other_events_move_the_position_without_a_handler()
    {
        await CreateDatabaseAsync();
        using var host = await StartAsync();
        await SellAndWaitAsync(host, 3);
        await StoreOf(host).AppendAsync([NewEvent.FromJson("other", "{}")], cancellationToken: TestContext.Current.CancellationToken);

        await StoreOf(host).Projections[DbProjector.Name].WaitForAsync(4, TestContext.Current.CancellationToken);

        Assert.Equal(0, (await StatusOfAsync(host)).Lag);
        await AssertExactAsync(3);
    }

    private protected StoreFolder Folder => folder;

    protected abstract void Use(DbContextOptionsBuilder options);

    protected abstract void DropDatabase();

    protected async Task CreateDatabaseAsync() => await WithContextAsync(db => db.Database.EnsureCreatedAsync());

    protected async Task AssertExactAsync(int events) => await WithContextAsync(async db =>
    {
        var sales = await db.Sales.AsNoTracking().ToListAsync();
        Assert.Equal(Enumerable.Range(1, events).Select(static each => (long)each), sales.Select(static each => each.Id).Order());
        var expected = sales.GroupBy(static each => each.Seller).Select(static each => (each.Key, (long)each.Count(), each.Sum(row => row.Id)));
        var totals = await db.Totals.AsNoTracking().ToListAsync();
        Assert.Equal(expected.Order(), totals.Select(static each => (each.Seller, each.Count, each.Positions)).Order());
    });

    internal static NewEvent[] Sales(int count) =>
        [.. Enumerable.Range(0, count).Select(static each => NewEvent.FromJson("sold", "{}", new Tag("seller", $"s{each % 7}")))];

    private protected async Task<IHost> StartAsync(int version = 1)
    {
        var host = DbProjector.Build(folder.Path, Use, DbProjector.Configure, version);
        await host.StartAsync(TestContext.Current.CancellationToken);
        return host;
    }

    private async Task WithContextAsync(Func<SalesContext, Task> use)
    {
        var options = new DbContextOptionsBuilder<SalesContext>();
        Use(options);
        await using var db = new SalesContext(options.Options);
        await use(db);
    }

    private IHost BuildFailing(Predicate<SequencedEvent> fails) => DbProjector.Build(folder.Path, Use, sales => sales
        .On("sold", (db, e, cancellation) => fails(e) ? throw new FormatException("poison") : DbProjector.ApplyAsync(db, e, cancellation))
        .Clear(DbProjector.ClearAsync));

    // Its rows have the names of the sellers.
    private async Task<IHost> StartNamingAsync(bool inOneTransaction = false)
    {
        var host = DbProjector.Build(folder.Path, Use, sales =>
        {
            sales.On("sold", (db, e, _) =>
            {
                db.Sales.Add(new SaleRow { Id = e.Position, Seller = JsonElement.Parse(e.Json.Span).GetProperty("seller").GetString() ?? "nobody" });
                return Task.CompletedTask;
            }).Clear(DbProjector.ClearAsync);
            if (inOneTransaction)
                sales.RebuildInOneTransaction();
        });
        await host.StartAsync(TestContext.Current.CancellationToken);
        return host;
    }

    private static async Task SellByAnnAsync(IHost host)
    {
        await StoreOf(host).AppendAsync([NewEvent.FromJson("sold", """{"seller":"ann"}""")],
            cancellationToken: TestContext.Current.CancellationToken);
        await StoreOf(host).Projections[DbProjector.Name].WaitForAsync(1, TestContext.Current.CancellationToken);
    }

    private async Task<long> FindTermAsync()
    {
        var term = 0L;
        await WithContextAsync(async db => term = (await db.Set<PositionRow>().AsNoTracking().SingleAsync()).Term);
        return term;
    }

    private async Task<string?> FindSellerAsync()
    {
        string? seller = null;
        await WithContextAsync(async db => seller = (await db.Sales.AsNoTracking().SingleOrDefaultAsync())?.Seller);
        return seller;
    }

    private protected static async Task SellAndWaitAsync(IHost host, int count)
    {
        var appended = await StoreOf(host).AppendAsync(Sales(count), cancellationToken: TestContext.Current.CancellationToken);
        await StoreOf(host).Projections[DbProjector.Name].WaitForAsync(appended.LastPosition, TestContext.Current.CancellationToken);
    }

    private protected static Task<ProjectionStatus> StatusOfAsync(IHost host) =>
        StoreOf(host).Projections[DbProjector.Name].GetStatusAsync(TestContext.Current.CancellationToken);

    private static IFileSystemEventStore StoreOf(IHost host) => host.Services.GetRequiredService<IFileSystemEventStore>();

    private sealed class States : Projection<State>
    {
        public States()
            : base(DbProjector.Name) => On("sold", static e => e.Tags[0].Value, static (_, e) => new State(e.Position));
    }

    private sealed record State(long Position);
}
