namespace Opossum.DocTests;

public record CourseOverview(string CourseId, int Seats, int Subscribed);

public sealed class CourseOverviews : Projection<CourseOverview>
{
    public CourseOverviews() : base("course-overviews")
    {
        On<CourseDefined>(e => e.CourseId, (_, e) => new CourseOverview(e.CourseId, e.Seats, 0));
        On<StudentSubscribed>(e => e.CourseId, (course, e) => course! with { Subscribed = course.Subscribed + 1 });
        TagBy(course => [new Tag("full", course.Subscribed < course.Seats ? "no" : "yes")]);
    }
}

public sealed class ProjectionsSnippets : DocumentCode
{
    [Fact]
    public async Task Read()
    {
        var Console = new PrintedLines();
        var options = new OpossumOptions { Path = "projected" };
        options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>();
        await using var store = await FileSystemEventStore.OpenAsync(options);
        await store.AppendAsync(new NewEvent(new CourseDefined("c1", 2)));

        await using var running = store.StartProjections([new CourseOverviews()]);
        var courses = store.Projections.Get<CourseOverview>();

        var appended = await store.AppendAsync(new NewEvent(new StudentSubscribed("c1", "s1")));
        await courses.WaitForAsync(appended.LastPosition);
        var course = await courses.GetAsync("c1");

        Assert.Equal(new CourseOverview("c1", 2, 1), course);

        await foreach (var free in courses.FindAsync([new Tag("full", "no")]))
            Console.WriteLine($"{free.Key}: {free.State.Seats - free.State.Subscribed} of {free.State.Seats} seats");
        Assert.Equal(["c1: 1 of 2 seats"], Console.TakeAll());

        foreach (var name in await store.Projections.ListAsync())
        {
            if ((await store.Projections[name].GetStatusAsync()).Fault is { } fault)
                Console.WriteLine($"{name} has stopped at {fault.Position} ({fault.EventType}): {fault.Error}");
        }
        Assert.Empty(Console.TakeAll());
    }

    [Fact]
    public async Task Reading_alone()
    {
        var options = new OpossumOptions { Path = "last-year" };
        options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>();
        await using (var store = await FileSystemEventStore.OpenAsync(options))
        {
            await using var running = store.StartProjections([new CourseOverviews()]);
            await store.Projections.Get<CourseOverview>().WaitForAsync((await store.AppendAsync(new NewEvent(new CourseDefined("c1", 2)))).LastPosition);
        }

        await using var archive = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "last-year", ReadOnly = true });
        await using var reading = archive.StartProjections([new CourseOverviews()]);
        var course = await archive.Projections.Get<CourseOverview>().GetAsync("c1");

        Assert.Equal(2, course?.Seats);
    }
}
