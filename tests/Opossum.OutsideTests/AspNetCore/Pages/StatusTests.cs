using Microsoft.Extensions.DependencyInjection;
using Opossum.AspNetCoreTests.Waiting;

namespace Opossum.AspNetCoreTests.Pages;

public sealed class StatusTests
{
    [Fact]
    public async Task The_store_page_shows_health_contents_and_links_to_the_events_of_a_type()
    {
        await using var app = await PageApp.StartAsync();
        await app.AppendAsync("student-enrolled", "{}", new Tag("course", "c1"));
        await app.AppendAsync("student-enrolled", "{}", new Tag("course", "c2"));

        var text = await app.GetAsync("/opossum/store");

        Assert.Contains("<strong>Healthy</strong> The store is at position 2.", text, StringComparison.Ordinal);
        Assert.Contains("<a href=\"./?type=student-enrolled\"><bdi>student-enrolled</bdi></a></th><td class=\"number\">2</td>", text, StringComparison.Ordinal);
        Assert.Contains("<bdi>course</bdi></th><td class=\"number\">2</td><td class=\"number\">2</td>", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Projections_are_shown_with_their_position_and_lag()
    {
        await using var app = await StartWithProjectionAsync();
        var position = await app.AppendAsync("counted");
        await app.Services.GetRequiredService<IProjectionStore<Count>>().WaitForAsync(position);
        app.Services.GetRequiredService<Gate>().Opened.Reset();
        await app.AppendAsync("counted");

        var text = await app.GetAsync("/opossum/projections");
        app.Services.GetRequiredService<Gate>().Opened.Set();

        Assert.Contains("<th scope=\"row\"><a href=\"./projections/gated-counts\">gated-counts</a></th><td>Running</td><td class=\"number\">1</td>\n".TrimEnd(), text, StringComparison.Ordinal);
        Assert.Contains("<td class=\"number\">1 event</td><td class=\"number\">1</td>", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_projection_that_has_stopped_says_why()
    {
        await using var app = await StartWithProjectionAsync();
        var position = await app.AppendAsync("poisoned");
        await Assert.ThrowsAsync<ProjectionException>(() =>
            app.Services.GetRequiredService<IProjectionStore<Count>>().WaitForAsync(position));

        Assert.Contains("Poisoned on purpose.", await app.GetAsync("/opossum/projections"), StringComparison.Ordinal);
        Assert.Contains("<strong>Unhealthy</strong>", await app.GetAsync("/opossum/store"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Replicas_are_shown_with_what_they_lack_and_why_they_do_not_follow()
    {
        var folder = Directory.CreateTempSubdirectory("opossum-").FullName;
        var (replica, file) = (Path.Combine(folder, "replica"), Path.Combine(folder, "file"));
        await File.WriteAllTextAsync(file, "");
        await using (var app = await PageApp.StartAsync((_, opossum) => opossum.FollowTo(replica).FollowTo(file)))
        {
            await app.AppendAsync("shown");

            var text = await app.GetAsync("/opossum/store");
            while (!text.Contains("up to position 1, 0 events missing", StringComparison.Ordinal) || !text.Contains("is a file", StringComparison.Ordinal))
            {
                TestContext.Current.CancellationToken.ThrowIfCancellationRequested();
                text = await app.GetAsync("/opossum/store");
            }

            Assert.Contains($"<dt><bdi>{replica}</bdi></dt>", text, StringComparison.Ordinal);
            Assert.Contains($"<dt><bdi>{file}</bdi></dt><dd>no step has ended since the start<br>", text, StringComparison.Ordinal);
            Assert.Matches("0 events missing, [0-9,]+ s since it had every one or the host began, the store last seen at <time", text);
        }
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task A_store_that_the_app_did_not_add_with_AddOpossum_can_be_browsed_too()
    {
        await using var store = Opossum.Testing.InMemoryEventStore.Open();
        await store.AppendAsync(NewEvent.FromJson("in-memory", "{}"));
        await using var app = await PageApp.StartAsync((builder, _) => builder.Services.AddSingleton<IEventStore>(store));

        Assert.Contains("in-memory", await app.GetAsync("/opossum/"), StringComparison.Ordinal);
        Assert.Contains("in-memory", await app.GetAsync("/opossum/store"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_empty_store_says_so()
    {
        await using var app = await PageApp.StartAsync();

        Assert.Contains("The store is empty.", await app.GetAsync("/opossum/"), StringComparison.Ordinal);
        Assert.Contains("This app runs no projections", await app.GetAsync("/opossum/projections"), StringComparison.Ordinal);
        Assert.NotEmpty(await app.GetAsync("/opossum/store"));
    }

    private static Task<TestApp> StartWithProjectionAsync() => PageApp.StartAsync(static (builder, store) =>
    {
        builder.Services.AddSingleton<Gate>();
        builder.Services.Configure<ProjectionOptions>(static options =>
        {
            options.MaxRetryAttempts = 0;
            options.WriteInterval = TimeSpan.Zero;
        });
        store.AddProjection<GatedCounts>();
    });
}
