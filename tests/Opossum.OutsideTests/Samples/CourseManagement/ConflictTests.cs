using System.Net;
using global::CourseManagement;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.SampleTests.CourseManagement;

public sealed class ConflictTests : AppTests
{
    [Fact]
    public async Task A_command_that_others_overtake_at_every_try_is_a_conflict()
    {
        var seats = 10;
        await App.DefineAsync("cooking", seats);
        await OvertakeAsync(store => store.AppendAsync(new NewEvent(new CourseCapacityChanged("cooking", ++seats))));

        Assert.Equal("Another append came first",
            await App.TitleOfRefusalAsync(HttpMethod.Put, "/api/courses/cooking/capacity", new { capacity = 3 }, HttpStatusCode.Conflict));
    }

    [Fact]
    public async Task A_store_that_cannot_append_for_now_is_not_available_and_may_be_asked_again()
    {
        await OvertakeAsync(_ => throw new StoreLockTimeoutException("lock", "somebody", TimeSpan.FromSeconds(60)));

        var response = await App.SendAsync(HttpMethod.Post, "/api/students", new { studentId = "ada", name = "Ada" });
        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        Assert.NotNull(response.Headers.RetryAfter);
    }

    private async Task OvertakeAsync(Func<IEventStore, Task> overtake)
    {
        await App.DisposeAsync();
        App = new App(Folder,
            services =>
                services.AddSingleton<IEventStore>(provider => new OvertakenStore(provider.GetRequiredService<IFileSystemEventStore>(), overtake)));
    }
}
