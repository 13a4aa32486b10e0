namespace Opossum.Tests.Decisions;

/// <summary>https://dcb.events/examples/course-subscriptions: rules over several entities at once.</summary>
public sealed class CourseSubscriptionsTests() : DecisionTests(typeof(CourseDefined), typeof(CourseCapacityChanged), typeof(StudentSubscribed))
{
    [Fact]
    public async Task A_course_is_defined_once()
    {
        await GivenAsync(new CourseDefined("c1", 10));

        await RefusedAsync("Course c1 already exists", () => new Courses(Store).DefineAsync("c1", 15));
        await new Courses(Store).DefineAsync("c2", 15);

        Assert.Equal([new CourseDefined("c1", 10), new CourseDefined("c2", 15)], await StoredAsync());
    }

    [Fact]
    public async Task The_capacity_of_a_course_that_is_there_changes_to_another_one()
    {
        await GivenAsync(new CourseDefined("c1", 12));

        await RefusedAsync("Course c0 does not exist", () => new Courses(Store).ChangeCapacityAsync("c0", 15));
        await RefusedAsync("Course c1 has a capacity of 12 already", () => new Courses(Store).ChangeCapacityAsync("c1", 12));
        await new Courses(Store).ChangeCapacityAsync("c1", 15);
        await RefusedAsync("Course c1 has a capacity of 15 already", () => new Courses(Store).ChangeCapacityAsync("c1", 15));

        Assert.Equal([new CourseDefined("c1", 12), new CourseCapacityChanged("c1", 15)], await StoredAsync());
    }

    [Fact]
    public async Task A_student_subscribes_to_a_course_that_is_there() =>
        await RefusedAsync("Course c0 does not exist", () => new Courses(Store).SubscribeAsync("c0", "s1"));

    [Fact]
    public async Task A_student_subscribes_to_a_course_with_a_free_seat()
    {
        await GivenAsync(new CourseDefined("c1", 3), new StudentSubscribed("c1", "s1"), new StudentSubscribed("c1", "s2"),
            new StudentSubscribed("c1", "s3"));

        await RefusedAsync("Course c1 is fully booked", () => new Courses(Store).SubscribeAsync("c1", "s4"));
        await new Courses(Store).ChangeCapacityAsync("c1", 4);
        await new Courses(Store).SubscribeAsync("c1", "s4");

        Assert.Equal(new StudentSubscribed("c1", "s4"), (await StoredAsync())[^1]);
    }

    [Fact]
    public async Task A_student_subscribes_to_a_course_once()
    {
        await GivenAsync(new CourseDefined("c1", 10), new StudentSubscribed("c1", "s1"));

        await RefusedAsync("Student s1 has subscribed to course c1 already", () => new Courses(Store).SubscribeAsync("c1", "s1"));
    }

    [Fact]
    public async Task A_student_subscribes_to_five_courses_at_the_most()
    {
        for (var course = 1; course <= 6; course++)
            await GivenAsync(new CourseDefined($"c{course}", 10), new StudentSubscribed($"c{course}", course < 6 ? "s1" : "s2"));

        await RefusedAsync("Student s1 has subscribed to 5 courses already", () => new Courses(Store).SubscribeAsync("c6", "s1"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_racers_for_the_last_seat_one_gets_it(bool twoProcesses)
    {
        await GivenAsync(new CourseDefined("c1", 2), new StudentSubscribed("c1", "s1"));

        var slower = new Courses(Overtaken(twoProcesses, faster => new Courses(faster).SubscribeAsync("c1", "s2")));
        await RefusedAsync("Course c1 is fully booked", () => slower.SubscribeAsync("c1", "s3"));

        Assert.Equal([new CourseDefined("c1", 2), new StudentSubscribed("c1", "s1"), new StudentSubscribed("c1", "s2")], await StoredAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_racers_who_saw_the_same_free_seat_one_appends(bool twoProcesses)
    {
        await GivenAsync(new CourseDefined("c1", 2), new StudentSubscribed("c1", "s1"));

        await AssertOnlyOneAppendsAsync(
            twoProcesses,
            Courses.Subscription("c1", "s2"), new StudentSubscribed("c1", "s2"),
            Courses.Subscription("c1", "s3"), new StudentSubscribed("c1", "s3"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Two_racers_for_two_seats_both_get_one(bool twoProcesses)
    {
        await GivenAsync(new CourseDefined("c1", 2));

        await new Courses(Overtaken(twoProcesses, faster => new Courses(faster).SubscribeAsync("c1", "s2"))).SubscribeAsync("c1", "s3");

        Assert.Equal([new CourseDefined("c1", 2), new StudentSubscribed("c1", "s2"), new StudentSubscribed("c1", "s3")], await StoredAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task One_student_in_two_places_gets_a_fifth_course_and_no_sixth(bool twoProcesses)
    {
        for (var course = 1; course <= 6; course++)
            await GivenAsync(new CourseDefined($"c{course}", 10));
        for (var course = 1; course <= 4; course++)
            await GivenAsync(new StudentSubscribed($"c{course}", "s1"));

        var slower = new Courses(Overtaken(twoProcesses, faster => new Courses(faster).SubscribeAsync("c5", "s1")));
        await RefusedAsync("Student s1 has subscribed to 5 courses already", () => slower.SubscribeAsync("c6", "s1"));

        Assert.Equal(5, (await StoredAsync()).OfType<StudentSubscribed>().Count());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_capacity_that_shrinks_during_a_subscription_counts(bool twoProcesses)
    {
        await GivenAsync(new CourseDefined("c1", 2), new StudentSubscribed("c1", "s1"));

        var slower = new Courses(Overtaken(twoProcesses, faster => new Courses(faster).ChangeCapacityAsync("c1", 1)));
        await RefusedAsync("Course c1 is fully booked", () => slower.SubscribeAsync("c1", "s2"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Racers_for_two_courses_do_not_meet(bool twoProcesses)
    {
        await GivenAsync(new CourseDefined("c1", 1), new CourseDefined("c2", 1));

        var once = new DecisionRetry { MaxRetryAttempts = 0 };
        var slower = new Courses(Overtaken(twoProcesses, faster => new Courses(faster).SubscribeAsync("c1", "s1")), once);
        await slower.SubscribeAsync("c2", "s2");

        Assert.Equal(4, await Store.GetHeadAsync());
    }

    private static async Task RefusedAsync(string reason, Func<Task> act) =>
        Assert.Equal(reason, (await Assert.ThrowsAsync<RefusedException>(act)).Message);

    [EventType("course-defined")]
    private sealed record CourseDefined([property: Tag("course")] string CourseId, int Capacity);

    [EventType("course-capacity-changed")]
    private sealed record CourseCapacityChanged([property: Tag("course")] string CourseId, int NewCapacity);

    [EventType("student-subscribed")]
    private sealed record StudentSubscribed([property: Tag("course")] string CourseId, [property: Tag("student")] string StudentId);

    private sealed class Courses(IEventStore store, DecisionRetry? retry = null)
    {
        public static DecisionProjection<(bool IsDefined, int Capacity, int Taken, int CoursesOfStudent,
            bool IsSubscribed)> Subscription(string course, string student) =>
            DecisionProjection.Combine(IsDefined(course), Capacity(course), SubscriptionsOf(Course(course)), SubscriptionsOf(Student(student)),
                IsSubscribed(course, student));

        public async Task DefineAsync(string course, int capacity) => await store.ExecuteDecisionAsync(
            IsDefined(course),
            isDefined => isDefined
                ? throw new RefusedException($"Course {course} already exists")
                : [new NewEvent(new CourseDefined(course, capacity))],
            retry);

        public async Task ChangeCapacityAsync(string course, int capacity) => await store.ExecuteDecisionAsync(
            DecisionProjection.Combine(IsDefined(course), Capacity(course)),
            state => state switch
            {
                (false, _) => throw new RefusedException($"Course {course} does not exist"),
                (_, var present) when present == capacity => throw new RefusedException($"Course {course} has a capacity of {capacity} already"),
                _ => [new NewEvent(new CourseCapacityChanged(course, capacity))],
            },
            retry);

        public async Task SubscribeAsync(string course, string student) => await store.ExecuteDecisionAsync(
            Subscription(course, student),
            state => state switch
            {
                { IsDefined: false } => throw new RefusedException($"Course {course} does not exist"),
                { IsSubscribed: true } => throw new RefusedException($"Student {student} has subscribed to course {course} already"),
                var (_, capacity, taken, _, _) when taken >= capacity => throw new RefusedException($"Course {course} is fully booked"),
                { CoursesOfStudent: >= 5 } => throw new RefusedException($"Student {student} has subscribed to 5 courses already"),
                _ => [new NewEvent(new StudentSubscribed(course, student))],
            },
            retry);

        private static DecisionProjection<bool> IsDefined(string course) =>
            DecisionProjection.Create(false, Course(course))
                .On<CourseDefined>((_, _) => true);

        private static DecisionProjection<int> Capacity(string course) =>
            DecisionProjection.Create(0, Course(course))
                .On<CourseDefined>((_, defined) => defined.Capacity)
                .On<CourseCapacityChanged>((_, changed) => changed.NewCapacity);

        private static DecisionProjection<int> SubscriptionsOf(Tag courseOrStudent) =>
            DecisionProjection.Create(0, courseOrStudent)
                .On<StudentSubscribed>((count, _) => count + 1);

        private static DecisionProjection<bool> IsSubscribed(string course, string student) =>
            DecisionProjection.Create(false, Course(course), Student(student))
                .On<StudentSubscribed>((_, _) => true);

        private static Tag Course(string course) => new("course", course);

        private static Tag Student(string student) => new("student", student);
    }
}
