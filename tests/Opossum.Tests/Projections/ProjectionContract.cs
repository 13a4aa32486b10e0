namespace Opossum.Tests.Projections;

/// <summary>What projections promise, wherever the store lies.</summary>
public abstract partial class ProjectionContract : IAsyncDisposable
{
    private readonly StorePlace place;
    private readonly FileSystemEventStore store;

    private protected ProjectionContract(StorePlace place)
    {
        this.place = place;
        store = Open();
    }

    public async ValueTask DisposeAsync()
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
        await ValueTask.CompletedTask;
    }

    private FileSystemEventStore Open() => place.Open(options => options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>().Add<CourseCancelled>());

    private async Task<long> AppendAsync(params object[] events) => (await store.AppendAsync([.. events.Select(e => new NewEvent(e))])).LastPosition;

    [Fact]
    public async Task State_is_read_after_the_position_was_waited_for()
    {
        await using var runner = store.StartProjections([new CourseOverviews()]);
        var courses = runner.Store<CourseOverview>();
        Assert.Null(await courses.GetAsync("c1"));
        await courses.WaitForAsync(await AppendAsync(new CourseDefined("c1", "Go", 2)));
        Assert.Equal(new CourseOverview("c1", "Go", 2, 0), await courses.GetAsync("c1"));
        await courses.WaitForAsync(await AppendAsync(new StudentSubscribed("c1", "s1"), new StudentSubscribed("c1", "s2")));
        Assert.Equal(new CourseOverview("c1", "Go", 2, 2), await courses.GetAsync("c1"));
        await courses.WaitForAsync(await AppendAsync(new CourseCancelled("c1")));
        Assert.Null(await courses.GetAsync("c1"));
    }
}
