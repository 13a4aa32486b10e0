using System.Text.Json.Nodes;
using Opossum.Following;
using Opossum.Reactions.Reading;
using Opossum.Testing.Simulated;
using Opossum.Tests.Projections;
using Opossum.Tests.Reactions;

namespace Opossum.Tests.Following;

/// <summary>What a process that runs neither projections nor reactions asks of those that do.</summary>
public sealed class HandleTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private static readonly ReactionOptions quick = new()
    {
        MaxRetryAttempts = 0,
        TakeOverInterval = TimeSpan.FromMilliseconds(10),
        PollInterval = TimeSpan.FromMilliseconds(1),
    };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
    private bool fails = true;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_request_waits_until_the_process_that_leads_has_carried_it_out()
    {
        var (leader, tool) = (place.Open(), place.Open());
        await using (leader.StartReactions([NewReaction()], quick))
        {
            await leader.AppendAsync(RecordingReaction.Placed("a"), cancellationToken: Cancellation);
            await leader.Reactions["recording"].WaitForAsync(1, Cancellation);
            await tool.Reactions["recording"].WaitForAsync(1, Cancellation);
            Assert.Equal([1], (await tool.Reactions["recording"].GetStatusAsync(Cancellation)).Parked);
            fails = false;

            await tool.Reactions["recording"].RetryAsync(1, cancellationToken: Cancellation);

            var status = await tool.Reactions["recording"].GetStatusAsync(Cancellation);
            Assert.Equal((FollowerPhase.NotRunHere, 0, false), (status.Phase, status.OpenRequests, status.IsLeader));
            Assert.Empty(status.Parked);
        }
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_wait_ends_when_its_store_is_closed(bool forEvents)
    {
        var (leader, tool) = (place.Open(), place.Open());
        await using (leader.StartReactions([NewReaction()], quick))
        {
            await leader.AppendAsync(RecordingReaction.Placed("a"), cancellationToken: Cancellation);
            await leader.Reactions["recording"].WaitForAsync(1, Cancellation);
        }
        var reaction = tool.Reactions["recording"];

        // Nobody leads.
        var waiting = forEvents ? reaction.WaitForAsync(2, Cancellation) : reaction.RetryAsync(1, cancellationToken: Cancellation);
        await tool.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting);
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData("retry")]
    [InlineData("skip")]
    [InlineData("again")]
    public async Task When_a_request_is_done_the_leaders_process_knows_what_it_has_to_handle_by_that(string request)
    {
        var files = (SimulatedFileSystem)place.Attach();
        var store = place.Open(files);
        await using var runner = store.StartReactions([NewReaction()], quick);
        await store.AppendAsync([RecordingReaction.Placed("a"), RecordingReaction.Paid("a")], cancellationToken: Cancellation);
        var reaction = store.Reactions["recording"];
        await reaction.WaitForAsync(2, Cancellation);
        fails = false;
        var (waiting, hasReturned) = (Task.CompletedTask, false);
        files.BeforeOperation = operation =>
        {
            // The file that says that it is done is there.
            if (operation.Kind == OperationKind.Delete && operation.Path.Contains("/requests/", StringComparison.Ordinal))
                hasReturned = (waiting = reaction.WaitForAsync(2, Cancellation)).IsCompleted;
        };

        await (request switch
        {
            "retry" => reaction.RetryAsync(1, cancellationToken: Cancellation),
            "skip" => reaction.SkipAsync(1, "It is no mail.", cancellationToken: Cancellation),
            _ => reaction.HandleAgainAsync(0, cancellationToken: Cancellation),
        });

        await reaction.WaitForAsync(2, Cancellation);
        await waiting;
        Assert.False(hasReturned);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_request_that_was_carried_out_before_the_next_opening_is_asked_for_it_is_not_sent_again()
    {
        var (first, second) = (place.Open(), place.Open());
        await using (first.StartReactions([NewReaction()], quick))
        {
            await first.AppendAsync(RecordingReaction.Placed("a"), cancellationToken: Cancellation);
            await first.Reactions["recording"].WaitForAsync(1, Cancellation);
        }
        var present = first;
        var hasBegun = new TaskCompletionSource();
        var reaction = new Followed<ReactionReader>(new(() =>
        {
            // Another process carries it out before the next opening is asked.
            if (present == second)
                CarryOut();
            hasBegun.TrySetResult();
            return (present.OpenReactions, static () => { });
        }), "recording");
        var skipping = reaction.SendAsync(LeaderRequest.Skip(1, "It is no mail."), wait: true, Cancellation);
        await hasBegun.Task;
        while ((await second.Reactions["recording"].GetStatusAsync(Cancellation)).OpenRequests == 0)
            await Task.Yield();
        fails = false;
        present = second;
        await first.DisposeAsync();

        await skipping;

        Assert.Equal([1], (await second.Reactions["recording"].GetStatusAsync(Cancellation)).Skipped);

        void CarryOut()
        {
            using var leader = place.Open();
            var runner = leader.StartReactions([NewReaction()], quick);
            while (leader.Reactions["recording"].GetStatusAsync(Cancellation).GetAwaiter().GetResult() is not { OpenRequests: 0, IsLeader: true })
                Thread.Yield();
            runner.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task States_are_found_by_tag_as_JSON()
    {
        var leader = place.Open();
        await leader.AppendAsync([Counts.Counted("a"), Counts.Counted("a", "b")], cancellationToken: Cancellation);
        await using (leader.StartProjections([new Counts()]))
            await leader.Projections["counts"].WaitForAsync(2, Cancellation);

        var states = place.Open(options => options.ReadOnly = true).Projections.Get<JsonNode>("counts");

        var odd = Assert.Single(await states.FindAsync([new Tag("parity", "odd")], Cancellation).ToListAsync(Cancellation));
        Assert.Equal(("b", 1), (odd.Key, odd.State["number"]!.GetValue<int>()));
    }

    private RecordingReaction NewReaction() => new(ReactionStart.Beginning,
        (_, _) => fails ? throw new InvalidOperationException("not now") : Task.CompletedTask);
}
