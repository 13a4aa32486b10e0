namespace Opossum.Tests.Projections;

/// <summary>What projections promise, wherever the store lies.</summary>
public abstract partial class ProjectionContract : IDisposable
{
    private static readonly ProjectionOptions quick =
        new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(5), RetryDelay = TimeSpan.Zero };

    private readonly StorePlace place;
    private readonly FileSystemEventStore store;

    private protected ProjectionContract(StorePlace place)
    {
        this.place = place;
        store = Open();
    }

    public void Dispose()
    {
        try
        {
            place.CloseStores();
            place.AssertClean();
        }
        finally
        {
            place.Dispose();
        }
        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task State_is_read_after_its_position_was_waited_for()
    {
        await using var runner = store.StartProjections([new CourseOverviews()], quick);
        var courses = store.Projections.Get<CourseOverview>();
        Assert.Null(await courses.GetAsync("c1"));
        await courses.WaitForAsync(await AppendAsync(new CourseDefined("c1", "Go", 2)));
        Assert.Equal(new CourseOverview("c1", "Go", 2, 0), await courses.GetAsync("c1"));
        await courses.WaitForAsync(await AppendAsync(new StudentSubscribed("c1", "s1"), new StudentSubscribed("c1", "s2")));
        Assert.Equal(new CourseOverview("c1", "Go", 2, 2), await courses.GetAsync("c1"));
    }

    [Fact]
    public async Task Deleted_state_is_gone_and_its_key_can_be_used_again()
    {
        await using var runner = store.StartProjections([new CourseOverviews()], quick);
        var courses = store.Projections.Get<CourseOverview>();
        await courses.WaitForAsync(await AppendAsync(new CourseDefined("c1", "Go", 2), new CourseDefined("c2", "Chess", 2)));
        await courses.WaitForAsync(await AppendAsync(new CourseCancelled("c1")));
        Assert.Null(await courses.GetAsync("c1"));
        Assert.Equal(["c2"], (await courses.ReadAllAsync().ToListAsync()).Select(state => state.Key));
        // The file goes once it is not needed any more.
        while (HasFile("c1.json"))
            await Task.Yield();
        await courses.WaitForAsync(await AppendAsync(new CourseDefined("c1", "Go again", 3)));
        Assert.Equal("Go again", (await courses.GetAsync("c1"))?.Title);
    }

    [Fact]
    public async Task Many_keys_are_read_and_all_states_enumerated()
    {
        await AppendAsync([.. Enumerable.Range(0, 50).Select(n => new CourseDefined($"c{n}", $"Course {n}", n))]);
        await using var runner = store.StartProjections([new CourseOverviews()], quick);
        var courses = store.Projections.Get<CourseOverview>();
        await courses.WaitForAsync(50);
        Assert.Equal(["c1", "c7"], (await courses.GetManyAsync(["c7", "c1", "c7", "none"])).Keys.Order());
        var all = await courses.ReadAllAsync().ToListAsync();
        Assert.Equal(Enumerable.Range(0, 50).Select(n => ($"c{n}", n + 1L)).Order(), all.Select(state => (state.Key, state.Position)).Order());
    }

    [Fact]
    public async Task States_are_found_by_the_tags_they_have_now()
    {
        await using var runner = store.StartProjections([new CourseOverviews()], quick);
        var courses = store.Projections.Get<CourseOverview>();
        var (full, free) = (new Tag("full", "yes"), new Tag("full", "no"));
        await courses.WaitForAsync(await AppendAsync(new CourseDefined("c1", "Go", 1), new CourseDefined("c2", "Chess", 1)));
        Assert.Equal(["c1", "c2"], await FindAsync(courses, free));
        Assert.Empty(await FindAsync(courses, full));
        await courses.WaitForAsync(await AppendAsync(new StudentSubscribed("c1", "s1")));
        Assert.Equal(["c1"], await FindAsync(courses, full));
        Assert.Equal(["c2"], await FindAsync(courses, free));
        await courses.WaitForAsync(await AppendAsync(new CourseCancelled("c1"), new CourseDefined("c1", "Go", 9)));
        Assert.Empty(await FindAsync(courses, full));
        Assert.Equal(["c1", "c2"], await FindAsync(courses, free));
        Assert.Empty(await courses.FindAsync([free, full]).ToListAsync());
        Assert.Throws<ArgumentException>(() => courses.FindAsync([]));
        Assert.Throws<ArgumentException>(() => courses.FindAsync([Tag.Pseudonym("email", "ann@example.org")]));
    }

    [Fact]
    public async Task Position_of_an_event_that_does_not_matter_can_be_waited_for_in_every_process()
    {
        await using var runner = store.StartProjections([new CourseOverviews()], quick);
        using var other = Open();
        await using var otherRunner = other.StartProjections([new CourseOverviews()], quick);
        await AppendAsync(new CourseDefined("c1", "Go", 1));
        var last = (await store.AppendAsync(NewEvent.FromJson("something-else", "{}"))).LastPosition;
        await WaitAsync(store, last);
        await WaitAsync(other, last);
        Assert.NotNull(await other.Projections.Get<CourseOverview>().GetAsync("c1"));
    }

    [Fact]
    public async Task Of_several_processes_one_leads_and_another_takes_over()
    {
        var runner = store.StartProjections([new CourseOverviews()], quick);
        using var other = Open();
        await using var otherRunner = other.StartProjections([new CourseOverviews()], quick);
        await WaitAsync(store, await AppendAsync(new CourseDefined("c1", "Go", 1)));
        await WaitAsync(other, 1);
        Assert.NotEqual((await store.Projections["course-overviews"].GetStatusAsync()).IsLeader,
            (await other.Projections["course-overviews"].GetStatusAsync()).IsLeader);
        await runner.DisposeAsync();
        await WaitAsync(other, await AppendAsync(new StudentSubscribed("c1", "s1")));
        var status = await other.Projections["course-overviews"].GetStatusAsync();
        Assert.True(status.IsLeader);
        Assert.Equal(FollowerPhase.Running, status.Phase);
        Assert.Equal(1, (await other.Projections.Get<CourseOverview>().GetAsync("c1"))?.Subscribed);
        Assert.Equal(FollowerPhase.NotRunHere, (await store.Projections["course-overviews"].GetStatusAsync()).Phase);
    }

    [Fact]
    public async Task Closing_the_store_stops_its_projections_and_writes_what_they_have_applied()
    {
        var runner = store.StartProjections([new CourseOverviews()], quick);
        var courses = store.Projections.Get<CourseOverview>();
        await courses.WaitForAsync(await AppendAsync(new CourseDefined("c1", "Go", 1)));
        await store.DisposeAsync();
        await runner.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await courses.WaitForAsync(99));
        Assert.Throws<ObjectDisposedException>(() => store.StartProjections([new CourseOverviews()]));
    }

    [Fact]
    public async Task Higher_version_is_built_beside_the_former_one_which_is_read_until_then()
    {
        await using (var runner = store.StartProjections([new CourseOverviews()], quick))
            await store.Projections.Get<CourseOverview>().WaitForAsync(await AppendAsync(new CourseDefined("c1", "Go", 1)));
        await using var second = store.StartProjections([new CourseOverviews(version: 2)], quick);
        await UntilAsync(store, "course-overviews", status => status.Phase == FollowerPhase.Running);
        Assert.Equal("Go (v2)", (await store.Projections.Get<CourseOverview>().GetAsync("c1"))?.Title);

        using var other = Open();
        await using var former = other.StartProjections([new CourseOverviews()], quick);
        await UntilAsync(other, "course-overviews", status => status.Phase == FollowerPhase.Superseded);
        await second.DisposeAsync();
        await UntilAsync(other, "course-overviews", status => status is { Phase: FollowerPhase.Superseded, IsLeader: false });
        Assert.Equal("Go (v2)", (await other.Projections.Get<CourseOverview>().GetAsync("c1"))?.Title);
    }

    [Fact]
    public async Task Rebuild_asked_for_by_a_process_that_does_not_lead_ends_when_the_new_states_are_read()
    {
        await using var runner = store.StartProjections([new CourseOverviews()], quick);
        var courses = store.Projections.Get<CourseOverview>();
        await courses.WaitForAsync(await AppendAsync(new CourseDefined("c1", "Go", 1)));
        using var other = Open();
        await using var otherRunner = other.StartProjections([new CourseOverviews()], quick);
        var state = place.Snapshot(place.Layout.Projections).Keys.Single(path => path.EndsWith("c1.json", StringComparison.Ordinal));
        place.Put(state, "{}"u8);
        var damage = await Assert.ThrowsAsync<ProjectionException>(async () => await courses.GetAsync("c1"));
        Assert.Equal(state, damage.Path);
        await other.Projections["course-overviews"].RebuildAsync();
        Assert.Equal("Go", (await courses.GetAsync("c1"))?.Title);
        Assert.Equal("Go", (await other.Projections.Get<CourseOverview>().GetAsync("c1"))?.Title);
    }

    [Fact]
    public async Task Other_events_in_the_store_have_the_states_built_again()
    {
        var empty = place.Snapshot();
        await using (var runner = store.StartProjections([new CourseOverviews()], quick))
        {
            await store.Projections.Get<CourseOverview>().WaitForAsync(await AppendAsync(new CourseDefined("c1", "Go", 1),
                new CourseDefined("c2", "Chess", 1)));
        }

        await store.DisposeAsync();
        var projections = place.Snapshot(place.Layout.Projections);
        place.Restore(empty);
        foreach (var (path, bytes) in projections.Where(file => file.Value is not null))
            place.Put(path, bytes!);
        using var restored = Open();
        await restored.AppendAsync(new NewEvent(new CourseDefined("c3", "Judo", 1)));
        await using var again = restored.StartProjections([new CourseOverviews()], quick);
        var courses = restored.Projections.Get<CourseOverview>();
        await UntilAsync(restored, "course-overviews", status => status is { Phase: FollowerPhase.Running, Position: 1 });
        Assert.Equal(["c3"], (await courses.ReadAllAsync().ToListAsync()).Select(each => each.Key));
    }

    [Fact]
    public async Task Projections_that_cannot_be_are_refused_before_anything_is_written()
    {
        Assert.Throws<ArgumentException>(() => store.StartProjections([]));
        Assert.Throws<ArgumentException>(() => store.StartProjections([new CourseOverviews(), new CourseOverviews()]));
        Assert.Throws<InvalidOperationException>(() => store.StartProjections([new Hand(_ => { })]));
        Assert.Throws<ArgumentException>(() => store.StartProjections([new CourseOverviews()], new ProjectionOptions { MaxCachedStates = 1 }));
        Assert.Throws<ArgumentException>(() => new Hand(hand => hand.Twice()));
        foreach (var name in (string[])["", "Upper", "-dash", "con", "com1", "a/b", new string('x', 64)])
            Assert.Throws<ArgumentException>(() => new Hand(_ => { }, name));
        Assert.False(place.Exists(place.Layout.Projections));
        await using var runner = store.StartProjections([new CourseOverviews(), new Hand(hand => hand.Count())], quick);
        Assert.Throws<ArgumentException>(() => store.Projections.Get<CourseOverview>("hand"));
        Assert.Throws<ArgumentException>(() => store.Projections.Get<string>());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await store.Projections["none"].RebuildAsync());
    }

    private static async Task<List<string>> FindAsync(IProjectionStore<CourseOverview> courses, Tag tag) =>
        [.. (await courses.FindAsync([tag]).ToListAsync()).Select(state => state.Key).Order()];

    private static async Task UntilAsync(FileSystemEventStore store, string name, Predicate<ProjectionStatus> isReached)
    {
        while (!isReached(await store.Projections[name].GetStatusAsync()))
            await Task.Yield();
    }

    // What is moved or deleted while it is listed is listed again.
    private bool HasFile(string name)
    {
        try
        {
            return place.Snapshot(place.Layout.Projections).Keys.Any(path => path.EndsWith(name, StringComparison.Ordinal));
        }
        catch (IOException)
        {
            return true;
        }
    }

    private FileSystemEventStore Open() =>
        place.Open(options => options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>().Add<CourseCancelled>());

    private async Task<long> AppendAsync(params object[] events) => (await store.AppendAsync([.. events.Select(e => new NewEvent(e))])).LastPosition;

    // A client of a share may send what it has written a second later.
    private async Task WaitAsync(FileSystemEventStore process, long position)
    {
        var waiting = process.Projections.Get<CourseOverview>().WaitForAsync(position);
        for (; !waiting.IsCompleted; await Task.Yield())
            place.Disk?.SendHeldBack();
        await waiting;
    }

    /// <summary>A projection of a test's own making.</summary>
    private sealed class Hand : Projection<Count>
    {
        public Hand(Action<Hand> define, string name = "hand", int version = 1)
            : base(name, version) => define(this);

        public void Count(Func<SequencedEvent, IEnumerable<string>>? keys = null, Action<SequencedEvent>? before = null) =>
            On("counted", keys ?? (e => e.Tags.Select(tag => tag.Value)), (count, e) =>
        {
            before?.Invoke(e);
            return new Count((count?.Number ?? 0) + 1, count?.First ?? e.Position);
        });

        public void Twice()
        {
            Count();
            Count();
        }
    }
}
