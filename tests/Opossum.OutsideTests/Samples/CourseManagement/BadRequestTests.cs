using System.Net;
using System.Text;

namespace Opossum.SampleTests.CourseManagement;

/// <summary>Requests that change nothing, so one app gets all of them.</summary>
public sealed class BadRequestTests(BadRequestTests.FilledApp filled) : IClassFixture<BadRequestTests.FilledApp>
{
    private App App => filled.Filled;

    [Theory]
    [InlineData("", "Cooking", 3, "courseId")]
    [InlineData("Cooking", "Cooking", 3, "courseId")]
    [InlineData("co/oking", "Cooking", 3, "courseId")]
    [InlineData(null, "Cooking", 3, "courseId")]
    [InlineData("cooking", " ", 3, "title")]
    [InlineData("cooking", null, 3, "title")]
    [InlineData("cooking", "Cooking", 0, "capacity")]
    [InlineData("cooking", "Cooking", 1001, "capacity")]
    [InlineData("cooking", "Cooking", "many", "capacity")]
    [InlineData("cooking", "Cooking", null, "capacity")]
    public async Task A_wrong_field_of_a_definition_is_named(string? courseId, string? title, object? capacity, string field)
    {
        var problem = await App.RefusedAsync(HttpMethod.Post, "/api/courses", new { courseId, title, capacity }, HttpStatusCode.BadRequest);

        var error = Assert.Single(problem.GetProperty("errors").EnumerateObject());
        Assert.Equal(field, error.Name);
        Assert.NotEqual("", error.Value[0].GetString());
    }

    [Fact]
    public async Task All_wrong_fields_are_named_at_once()
    {
        var problem =
            await App.RefusedAsync(HttpMethod.Post, "/api/courses", new { courseId = "A B", title = new string('x', 101), capacity = -1 },
                HttpStatusCode.BadRequest);

        Assert.Equal(["capacity", "courseId", "title"], problem.GetProperty("errors").EnumerateObject().Select(error => error.Name).Order());
    }

    [Fact]
    public async Task A_body_that_is_not_JSON_is_a_bad_request()
    {
        using var body = new StringContent("{ course", Encoding.UTF8, "application/json");
        var response = await App.Client.PostAsync("/api/courses", body);

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
    }

    [Theory]
    [InlineData("/api/courses", "limit=0", "limit")]
    [InlineData("/api/courses", "limit=101", "limit")]
    [InlineData("/api/courses/cooking", "limit=101", "limit")]
    [InlineData("/api/courses/cooking", "skip=-1", "skip")]
    [InlineData("/api/students", "skip=-1", "skip")]
    public async Task A_page_that_is_none_is_a_bad_request(string path, string query, string field)
    {
        var problem = await App.RefusedAsync(HttpMethod.Get, $"{path}?{query}", null, HttpStatusCode.BadRequest);
        Assert.Equal(field, Assert.Single(problem.GetProperty("errors").EnumerateObject()).Name);
    }

    [Fact]
    public async Task Wrong_fields_of_a_registration_are_named()
    {
        var problem = await App.RefusedAsync(HttpMethod.Post, "/api/students", new { studentId = "-", name = "" }, HttpStatusCode.BadRequest);

        Assert.Equal(["name", "studentId"], problem.GetProperty("errors").EnumerateObject().Select(error => error.Name).Order());
    }

    [Fact]
    public async Task A_position_that_no_event_has_is_a_bad_request()
    {
        // At once: the app waits a while for each position that has no event yet.
        await Task.WhenAll(((string[])["/api/courses", "/api/courses/cooking", "/api/students", "/api/students/ada"]).Select(AskAsync));

        async Task AskAsync(string path)
        {
            await App.GetAsync($"{path}?after={FilledApp.Position}");
            await App.GetAsync($"{path}?after=0");
            await Task.WhenAll(RefusedAsync(path, $"{FilledApp.Position + 1}"), RefusedAsync(path, $"{long.MaxValue}"));
            foreach (var none in (string[])["-1", "soon"])
                await App.RefusedAsync(HttpMethod.Get, $"{path}?after={none}", null, HttpStatusCode.BadRequest);
        }

        async Task RefusedAsync(string path, string wrong)
        {
            var problem = await App.RefusedAsync(HttpMethod.Get, $"{path}?after={wrong}", null, HttpStatusCode.BadRequest);
            Assert.Equal($"There is no event at position {wrong}; the last position is {FilledApp.Position}.",
                problem.GetProperty("errors").GetProperty("after")[0].GetString());
        }
    }

    /// <summary>An app with a course and a student.</summary>
    public sealed class FilledApp : AppTests, IAsyncLifetime
    {
        /// <summary>The last position.</summary>
        public const long Position = 2;

        internal App Filled => App;

        public async ValueTask InitializeAsync()
        {
            await App.DefineAsync("cooking");
            Assert.Equal(Position, await App.RegisterAsync("ada"));
        }
    }
}
