using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCoreTests.Waiting;

public sealed class WaitForPositionInControllersTests
{
    [Fact]
    public async Task A_read_includes_the_position_that_it_asks_for()
    {
        await using var app = await StartAsync();
        for (var round = 1; round <= 20; round++)
        {
            var position = await app.AppendAsync("counted");
            Assert.Equal($"{round}", await app.GetAsync($"/controller/counts?after={position}"));
            Assert.Equal($"{round}", await app.GetAsync($"/controller/named?after={position}"));
        }
        Assert.Equal("20", await app.GetAsync("/controller/head?after=20"));
    }

    [Fact]
    public async Task A_projection_that_is_late_is_503_with_Retry_After()
    {
        await using var app = await StartAsync();
        var gate = app.Services.GetRequiredService<Gate>();
        gate.Opened.Reset();
        var position = await app.AppendAsync("counted");

        var (_, retryAfter) = await app.GetProblemAsync($"/controller/soon?after={position}", HttpStatusCode.ServiceUnavailable);
        gate.Opened.Set();

        Assert.Equal("5", retryAfter);
    }

    [Theory]
    [InlineData("/controller/counts?after=-1", "This must be one position: a whole number from 0.")]
    [InlineData("/controller/head?after=1&after=1", "This must be one position: a whole number from 0.")]
    [InlineData("/controller/head?after=2", "There is no event at position 2; the last position is 1.")]
    public async Task What_is_no_position_is_400(string path, string error)
    {
        await using var app = await StartAsync();
        await app.AppendAsync("counted");

        var (problem, _) = await app.GetProblemAsync(path, HttpStatusCode.BadRequest);

        Assert.Equal(error, problem.GetProperty("errors").GetProperty("after")[0].GetString());
    }

    [Theory]
    [InlineData("/controller/counts")]
    [InlineData("/controller/soon?after=")]
    [InlineData("/controller/head?after=1")]
    public async Task What_is_there_is_not_waited_for(string path)
    {
        await using var app = await StartAsync();
        await app.AppendAsync("other");

        Assert.NotEmpty(await app.GetAsync(path));
    }

    private static Task<TestApp> StartAsync() => TestApp.StartAsync(
        static app => app.MapControllers(),
        static (builder, store) =>
        {
            builder.Services.AddSingleton<Gate>();
            builder.Services.AddControllers().AddApplicationPart(typeof(CountsController).Assembly);
            store.AddProjection<GatedCounts>();
        });
}
