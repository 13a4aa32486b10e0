using System.Text.RegularExpressions;
using Opossum.Testing;
using Opossum.TestingTests.Examples;

namespace Opossum.TestingTests;

public sealed partial class TestDiskTests
{
    private static readonly NewEvent subscribed = new(new StudentSubscribed("c1", "ada"));

    [Fact]
    public async Task A_full_disk_refuses_an_append_and_takes_it_when_there_is_space_again()
    {
        var disk = new TestDisk();
        await using var store = Open(disk);
        await store.AppendAsync(subscribed);

        disk.FillUp();
        await Assert.ThrowsAsync<StoreIOException>(() => store.AppendAsync(new NewEvent(new StudentSubscribed("c1", "ben"))));
        disk.MakeSpace();
        var appended = await store.AppendAsync(new NewEvent(new StudentSubscribed("c1", "cleo")));

        Assert.Equal(2, appended.LastPosition);
    }

    [Fact]
    public async Task With_a_journal_a_full_disk_takes_appends_until_the_space_reserved_for_lines_is_used()
    {
        var disk = new TestDisk();
        await using var store = disk.Open(new OpossumOptions { EventTypes = EventTypes.All, UseJournal = true });
        await store.AppendAsync(subscribed);

        disk.FillUp();
        await store.AppendAsync(subscribed);
        await Assert.ThrowsAsync<StoreIOException>(async () =>
        {
            for (var i = 0; i < 100; i++)
                await store.AppendAsync(subscribed);
        });
        disk.MakeSpace();

        Assert.NotEqual(0, (await store.AppendAsync(subscribed)).LastPosition);
    }

    [Fact]
    public async Task A_lock_of_another_process_lasts_as_long_as_the_lock_timeout_of_the_clock()
    {
        var disk = new TestDisk();
        await using var store = Open(disk);
        var before = disk.Clock.GetUtcNow();

        using (disk.HoldLock())
            await Assert.ThrowsAsync<StoreLockTimeoutException>(() => store.AppendAsync(subscribed));

        Assert.InRange(disk.Clock.GetUtcNow() - before, TimeSpan.FromSeconds(59), TimeSpan.FromSeconds(62));
        Assert.Equal(1, (await store.AppendAsync(subscribed)).LastPosition);
    }

    [Fact]
    public async Task A_failed_flush_faults_the_store_until_it_is_opened_again()
    {
        var disk = new TestDisk();
        var store = Open(disk);

        disk.FailNextFlush();
        var failure = await Assert.ThrowsAsync<StoreFaultedException>(() => store.AppendAsync(subscribed));
        await Assert.ThrowsAsync<StoreFaultedException>(() => store.AppendAsync(subscribed));
        await store.DisposeAsync();
        await using var again = Open(disk);

        Assert.Equal(AppendOutcome.Unknown, failure.Outcome);
        Assert.NotEqual(0, (await again.AppendAsync(subscribed)).LastPosition);
    }

    [EventType("guest-registered")]
    private sealed record GuestRegistered([property: Tag("guest")] string GuestId, [property: Personal("guest")] string? Name);

    [Fact]
    public async Task Personal_data_is_read_by_every_process_also_after_a_power_cut()
    {
        var disk = new TestDisk();
        var options = new OpossumOptions { EventTypes = new EventTypeRegistry().Add<GuestRegistered>() };
        await using var store = disk.Open(options);
        await store.AppendAsync(new NewEvent(new GuestRegistered("g1", "Ada")));
        await using var other = disk.Open(options);

        Assert.Equal(new GuestRegistered("g1", "Ada"), (await other.ReadLastAsync(Query.All))!.Data);
        await using var after = disk.CutPower().Open(options);
        Assert.Equal(new GuestRegistered("g1", "Ada"), (await after.ReadLastAsync(Query.All))!.Data);
    }

    [Fact]
    public async Task A_lost_key_of_the_store_is_given_up_by_its_option()
    {
        var disk = new TestDisk();
        var registered = new NewEvent(new GuestRegistered("g1", "Ada"));
        var options = new OpossumOptions { EventTypes = new EventTypeRegistry().Add<GuestRegistered>() };
        await using (var store = disk.Open(options))
            await store.AppendAsync(registered);

        options.PersonalData = new PersonalDataOptions { KeysFolder = "/other" };
        await using var other = disk.Open(options);
        var refused = await Assert.ThrowsAsync<PersonalDataException>(() => other.AppendAsync(registered));
        options.PersonalData.LostStoreKey = KeyId().Match(refused.Message).Value;
        await using var again = disk.Open(options);

        Assert.Equal(2, (await again.AppendAsync(new NewEvent(new GuestRegistered("g2", "Ben")))).LastPosition);
    }

    [GeneratedRegex("(?<=LostStoreKey = .)[0-9a-f]{16}")]
    private static partial Regex KeyId();

    [Fact]
    public async Task A_reaction_reads_and_appends_personal_data()
    {
        var types = new EventTypeRegistry().Add<GuestRegistered>();
        var outcome = await Scenario.Of(types).React((_, calls) => new Greeting(calls))
            .When(new GuestRegistered("g1", "Ada"))
            .ThenAsync("the guest is registered again", events => events is [{ Data: GuestRegistered { GuestId: "g2", Name: "Ada again" } }]);

        Assert.Equal("hello Ada", Assert.Single(outcome.Calls).What);
    }

    private sealed class Welcoming : Reaction
    {
        public Welcoming()
            : base("welcoming")
        {
            StartFrom(ReactionStart.Beginning);
            On<StudentSubscribed>((_, _, _) => Task.CompletedTask);
        }
    }

    private sealed class Greeting : Reaction
    {
        public Greeting(ReactionCalls calls)
            : base("greeting")
        {
            StartFrom(ReactionStart.Head);
            On<GuestRegistered>(async (e, context, cancellationToken) =>
            {
                if (e.GuestId != "g1")
                    return;
                calls.Record($"hello {e.Name}", context.IdempotencyKey);
                await context.AppendAsync(new NewEvent(new GuestRegistered("g2", $"{e.Name} again")), cancellationToken: cancellationToken);
            });
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_power_cut_leaves_what_was_appended_and_not_what_was_not_flushed(int seed)
    {
        var disk = new TestDisk();
        var store = Open(disk);
        await store.AppendAsync(subscribed);

        var after = disk.CutPower(seed);
        await Assert.ThrowsAnyAsync<Exception>(() => store.AppendAsync(subscribed));
        await using var again = Open(after);

        Assert.Equal(1, await again.GetHeadAsync());
    }

    [Fact]
    public async Task A_power_cut_mends_nothing()
    {
        var disk = new TestDisk();
        await using (var store = Open(disk))
            await store.AppendAsync(subscribed);
        disk.OperationTime = TimeSpan.FromMilliseconds(2);
        disk.FailReads();

        var after = disk.CutPower();

        Assert.Equal(TimeSpan.FromMilliseconds(2), after.OperationTime);
        Assert.Throws<StoreOpenException>(() => Open(after));
        after.Mend();
        await using var again = Open(after);
        Assert.Equal(1, await again.GetHeadAsync());
    }

    [Fact]
    public async Task After_a_power_cut_events_that_were_not_flushed_are_gone()
    {
        var disk = new TestDisk();
        var store = disk.Open(new OpossumOptions { EventTypes = EventTypes.All, FlushEventsImmediately = false });
        await store.AppendAsync(subscribed);

        await using var again = Open(disk.CutPower());

        Assert.Equal(0, await again.GetHeadAsync());
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    public async Task After_a_power_cut_calls_of_an_open_store_throw_and_disposing_it_does_not(bool useJournal, bool flush)
    {
        var disk = new TestDisk();
        var options = new OpossumOptions { EventTypes = EventTypes.All, UseJournal = useJournal, FlushEventsImmediately = flush };
        options.Proof = new ProofOptions();
        options.SealAllButNewestFolders = 1;
        var store = disk.Open(options);
        await using var unused = disk.Open(options);
        await using var reader = disk.Open(new OpossumOptions { EventTypes = EventTypes.All, ReadOnly = true });
        await using var projections = store.StartProjections([new CourseOverviews()]);
        await using var reactions = store.StartReactions([new Welcoming()]);
        await store.AppendAsync(subscribed);

        disk.CutPower();

        // Work in the background, which the clock starts, ends as silently.
        disk.Clock.Advance(TimeSpan.FromSeconds(5));
        await Assert.ThrowsAsync<StoreIOException>(async () => await unused.ReadAsync(Query.All).ToListAsync());
        await Assert.ThrowsAsync<StoreIOException>(() => reader.GetHeadAsync());
        await Assert.ThrowsAsync<StoreIOException>(() => store.GetHeadAsync());
        await Assert.ThrowsAsync<StoreFaultedException>(() => unused.AppendAsync(subscribed));
        Assert.Throws<StoreOpenException>(() => disk.Open(options));
        await projections.DisposeAsync();
        await reactions.DisposeAsync();
        await store.DisposeAsync();
        await store.DisposeAsync();
    }

    [Fact]
    public async Task On_a_slow_share_an_append_takes_time_of_the_clock()
    {
        var disk = new TestDisk(isShare: true);
        await using var store = Open(disk);
        var before = disk.Clock.GetUtcNow();

        disk.OperationTime = TimeSpan.FromMilliseconds(40);
        await store.AppendAsync(subscribed);

        Assert.True(disk.Clock.GetUtcNow() - before >= TimeSpan.FromMilliseconds(120));
    }

    [Fact]
    public async Task A_read_fails_until_the_disk_is_mended()
    {
        var disk = new TestDisk();
        await using var store = Open(disk);
        await store.AppendAsync(subscribed);

        disk.FailReads();
        await Assert.ThrowsAsync<StoreIOException>(() => store.ExistsAsync(Query.All));
        disk.Mend();

        Assert.True(await store.ExistsAsync(Query.All));
    }

    [Fact]
    public async Task Two_stores_on_a_disk_are_two_processes()
    {
        var disk = new TestDisk();
        await using var one = Open(disk);
        await using var other = Open(disk);

        await one.AppendAsync(subscribed);

        Assert.Equal(1, await other.GetHeadAsync());
    }

    [Fact]
    public void A_lock_is_held_only_where_there_is_a_store() => Assert.Throws<InvalidOperationException>(() => new TestDisk().HoldLock());

    private static FileSystemEventStore Open(TestDisk disk) => disk.Open(new OpossumOptions { EventTypes = EventTypes.All });
}
