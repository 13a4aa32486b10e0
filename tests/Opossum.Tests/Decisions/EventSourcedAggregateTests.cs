using System.Collections.Immutable;

namespace Opossum.Tests.Decisions;

/// <summary>https://dcb.events/examples/event-sourced-aggregate: an aggregate and its repository, over a query by tag instead of a stream.</summary>
public sealed class EventSourcedAggregateTests() : DecisionTests(typeof(CourseDefined), typeof(CourseCapacityChanged), typeof(StudentSubscribed))
{
    [Fact]
    public async Task A_new_aggregate_is_saved_with_all_it_recorded()
    {
        var course = CourseAggregate.Create("c1", 10);
        course.ChangeCapacity(15);
        await new CourseRepository(Store).SaveAsync(course);

        Assert.Equal([new CourseDefined("c1", 10), new CourseCapacityChanged("c1", 15)], await StoredAsync());
    }

    [Fact]
    public async Task A_loaded_aggregate_knows_what_happened_to_it_and_nothing_of_others()
    {
        await GivenAsync(new CourseDefined("c1", 10), new CourseDefined("c2", 20), new CourseCapacityChanged("c1", 1),
            new StudentSubscribed("c1", "s1"));

        var course = await new CourseRepository(Store).LoadAsync("c1");

        Assert.Throws<RefusedException>(() => course.ChangeCapacity(1));
        Assert.Throws<RefusedException>(() => course.ChangeCapacity(0));
        Assert.Throws<RefusedException>(() => course.SubscribeStudent("s2"));
        course.ChangeCapacity(2);
        course.SubscribeStudent("s2");
        await new CourseRepository(Store).SaveAsync(course);
        Assert.Equal([new CourseCapacityChanged("c1", 2), new StudentSubscribed("c1", "s2")], (await StoredAsync())[^2..]);
    }

    [Fact]
    public async Task An_aggregate_may_be_saved_again()
    {
        var course = CourseAggregate.Create("c1", 10);
        await new CourseRepository(Store).SaveAsync(course);
        course.ChangeCapacity(15);
        await new CourseRepository(Store).SaveAsync(course);

        Assert.Equal([new CourseDefined("c1", 10), new CourseCapacityChanged("c1", 15)], await StoredAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_racers_who_loaded_the_same_version_one_saves(bool twoProcesses)
    {
        await GivenAsync(new CourseDefined("c1", 1), new CourseDefined("c2", 1));
        var here = new CourseRepository(Store);
        var there = new CourseRepository(twoProcesses ? Other : Store);
        var winner = await here.LoadAsync("c1");
        var loser = await there.LoadAsync("c1");
        var bystander = await there.LoadAsync("c2");

        winner.SubscribeStudent("s1");
        loser.SubscribeStudent("s2");
        bystander.SubscribeStudent("s3");
        await here.SaveAsync(winner);
        var conflict = await Assert.ThrowsAsync<AppendConditionFailedException>(() => there.SaveAsync(loser));
        await there.SaveAsync(bystander);

        Assert.Equal(3, conflict.ConflictingPosition);
        Assert.Equal([new StudentSubscribed("c1", "s1"), new StudentSubscribed("c2", "s3")], (await StoredAsync())[2..]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_racers_who_create_the_same_aggregate_one_saves(bool twoProcesses)
    {
        var winner = CourseAggregate.Create("c1", 1);
        var loser = CourseAggregate.Create("c1", 2);

        await new CourseRepository(Store).SaveAsync(winner);
        await Assert.ThrowsAsync<AppendConditionFailedException>(() => new CourseRepository(twoProcesses ? Other : Store).SaveAsync(loser));

        Assert.Equal([new CourseDefined("c1", 1)], await StoredAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Two_racers_for_two_seats_both_get_one_when_the_aggregate_is_loaded_again(bool twoProcesses)
    {
        await GivenAsync(new CourseDefined("c1", 2));

        var slower = Overtaken(twoProcesses, faster => SubscribeAsync(faster, "s1"));
        await SubscribeAsync(slower, "s2");

        Assert.Equal([new CourseDefined("c1", 2), new StudentSubscribed("c1", "s1"), new StudentSubscribed("c1", "s2")], await StoredAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_racers_for_one_seat_one_gets_it_when_the_aggregate_is_loaded_again(bool twoProcesses)
    {
        await GivenAsync(new CourseDefined("c1", 1));

        var slower = Overtaken(twoProcesses, faster => SubscribeAsync(faster, "s1"));
        await Assert.ThrowsAsync<RefusedException>(() => SubscribeAsync(slower, "s2"));

        Assert.Equal([new CourseDefined("c1", 1), new StudentSubscribed("c1", "s1")], await StoredAsync());
    }

    private static Task SubscribeAsync(IEventStore store, string student) =>
        new CourseRepository(store).ExecuteAsync("c1", course => course.SubscribeStudent(student));

    [EventType("course-defined")]
    private sealed record CourseDefined([property: Tag("course")] string CourseId, int Capacity);

    [EventType("course-capacity-changed")]
    private sealed record CourseCapacityChanged([property: Tag("course")] string CourseId, int NewCapacity);

    [EventType("student-subscribed")]
    private sealed record StudentSubscribed([property: Tag("course")] string CourseId, string StudentId);

    private sealed class CourseAggregate
    {
        private readonly List<NewEvent> recorded = [];
        private int capacity;
        private int subscriptions;

        public string Id { get; private set; } = "";

        // The position up to which its history is known.
        public long Version { get; set; }

        public static CourseAggregate Create(string id, int capacity)
        {
            var course = new CourseAggregate();
            course.Record(new CourseDefined(id, capacity));
            return course;
        }

        public void ChangeCapacity(int newCapacity)
        {
            if (newCapacity == capacity)
                throw new RefusedException($"Course {Id} has a capacity of {capacity} already");
            if (newCapacity < subscriptions)
                throw new RefusedException($"Course {Id} has {subscriptions} subscriptions already");
            Record(new CourseCapacityChanged(Id, newCapacity));
        }

        public void SubscribeStudent(string student)
        {
            if (subscriptions == capacity)
                throw new RefusedException($"Course {Id} is fully booked");
            Record(new StudentSubscribed(Id, student));
        }

        public void Apply(object? data)
        {
            switch (data)
            {
                case CourseDefined defined:
                    (Id, capacity) = (defined.CourseId, defined.Capacity);
                    break;
                case CourseCapacityChanged changed:
                    capacity = changed.NewCapacity;
                    break;
                case StudentSubscribed:
                    subscriptions++;
                    break;
            }
        }

        public NewEvent[] PullRecorded()
        {
            NewEvent[] pulled = [.. recorded];
            recorded.Clear();
            return pulled;
        }

        private void Record(object data)
        {
            recorded.Add(new NewEvent(data));
            Apply(data);
        }
    }

    private sealed class CourseRepository(IEventStore store)
    {
        public async Task<CourseAggregate> LoadAsync(string id)
        {
            var course = new CourseAggregate();
            var history = store.ReadAsync(QueryOf(id));
            await foreach (var e in history)
                course.Apply(e.Data);
            course.Version = history.Head;
            return course;
        }

        public async Task SaveAsync(CourseAggregate course)
        {
            var saved = await store.AppendAsync(course.PullRecorded(), new AppendCondition(QueryOf(course.Id), course.Version));
            course.Version = saved.LastPosition;
        }

        // The aggregate is mutable, so it is no state to fold into: its history is, and each try makes an aggregate of its own.
        public async Task ExecuteAsync(string id, Action<CourseAggregate> act)
        {
            var history = DecisionProjection.Create(ImmutableList<object>.Empty, new Tag("course", id))
                .On<CourseDefined>((events, defined) => events.Add(defined))
                .On<CourseCapacityChanged>((events, changed) => events.Add(changed))
                .On<StudentSubscribed>((events, subscribed) => events.Add(subscribed));
            await store.ExecuteDecisionAsync(history, events =>
            {
                var course = new CourseAggregate();
                events.ForEach(course.Apply);
                act(course);
                return course.PullRecorded();
            });
        }

        private static Query QueryOf(string id) => Query.FromTags(new Tag("course", id));
    }
}
