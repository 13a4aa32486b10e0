using System.Net;
using System.Text.Json;

namespace Opossum.SampleTests.CourseManagement;

public sealed class CourseTests : AppTests
{
    [Fact]
    public async Task A_defined_course_is_shown_and_listed_by_title()
    {
        await App.DefineAsync("walking", 3);
        var position = await App.DefineAsync("cooking", 5);

        var shown = await App.GetAsync($"/api/courses/walking?after={position}");
        Assert.Equal("""{"courseId":"walking","title":"Title of walking","capacity":3,"subscribed":0,"isFull":false}""",
            shown.GetProperty("course").GetRawText());
        Assert.Equal(0, shown.GetProperty("students").GetProperty("total").GetInt32());
        Assert.Equal(position, shown.GetProperty("position").GetInt64());
        Assert.Equal(["cooking", "walking"], Ids(await App.GetAsync($"/api/courses?after={position}")));
    }

    [Fact]
    public async Task The_answer_to_a_definition_says_where_the_course_is()
    {
        var response = await App.SendAsync(HttpMethod.Post, "/api/courses", new { courseId = "cooking", title = "Cooking", capacity = 3 });

        Assert.Equal("/api/courses/cooking", response.Headers.Location?.OriginalString);
    }

    [Fact]
    public async Task A_course_id_is_given_once()
    {
        await App.DefineAsync("cooking");

        Assert.Equal("Course exists",
            await App.TitleOfRefusalAsync(HttpMethod.Post, "/api/courses", new { courseId = "cooking", title = "Another", capacity = 3 },
                HttpStatusCode.Conflict));
    }

    [Fact]
    public async Task Of_many_who_define_the_same_course_at_once_one_succeeds()
    {
        var answers =
            await Task.WhenAll(Enumerable.Range(0,
                8).Select(n => App.SendAsync(HttpMethod.Post, "/api/courses", new { courseId = "cooking", title = $"Title {n}", capacity = 3 })));

        Assert.Single(answers, answer => answer.StatusCode == HttpStatusCode.Created);
        Assert.Equal(7, answers.Count(answer => answer.StatusCode == HttpStatusCode.Conflict));
    }

    [Fact]
    public async Task A_course_that_is_not_there_is_not_found()
    {
        Assert.Equal("Course not found", await App.TitleOfRefusalAsync(HttpMethod.Get, "/api/courses/cooking", null, HttpStatusCode.NotFound));
        Assert.Equal("Course not found",
            await App.TitleOfRefusalAsync(HttpMethod.Put, "/api/courses/cooking/capacity", new { capacity = 3 }, HttpStatusCode.NotFound));
    }

    [Fact]
    public async Task Full_courses_and_those_with_free_seats_are_listed_apart()
    {
        await App.DefineAsync("cooking", 1);
        await App.DefineAsync("walking", 2);
        await App.RegisterAsync("ada");
        await App.SubscribeAsync("walking", "ada");
        var position = await App.SubscribeAsync("cooking", "ada");

        Assert.Equal(["cooking"], Ids(await App.GetAsync($"/api/courses?full=true&after={position}")));
        Assert.Equal(["walking"], Ids(await App.GetAsync($"/api/courses?full=false&after={position}")));
        Assert.Equal(["cooking", "walking"], Ids(await App.GetAsync($"/api/courses?after={position}")));
    }

    [Fact]
    public async Task More_seats_make_a_full_course_one_with_free_seats()
    {
        await App.DefineAsync("cooking", 1);
        await App.RegisterAsync("ada");
        await App.SubscribeAsync("cooking", "ada");
        var position = await ChangeCapacityAsync("cooking", 2);

        Assert.Equal(["cooking"], Ids(await App.GetAsync($"/api/courses?full=false&after={position}")));
        Assert.Empty(Ids(await App.GetAsync($"/api/courses?full=true&after={position}")));
    }

    [Fact]
    public async Task Fewer_seats_than_students_make_the_course_full_and_nobody_loses_a_seat()
    {
        await App.DefineAsync("cooking", 3);
        foreach (var student in (string[])["ada", "ben"])
        {
            await App.RegisterAsync(student);
            await App.SubscribeAsync("cooking", student);
        }
        var position = await ChangeCapacityAsync("cooking", 1);

        var shown = await App.GetAsync($"/api/courses/cooking?after={position}");
        Assert.Equal((1, 2, true), (
            shown.GetProperty("course").GetProperty("capacity").GetInt32(),
            shown.GetProperty("course").GetProperty("subscribed").GetInt32(),
            shown.GetProperty("course").GetProperty("isFull").GetBoolean()));
        Assert.Equal(2, shown.GetProperty("students").GetProperty("items").GetArrayLength());
    }

    [Fact]
    public async Task The_same_number_of_seats_is_no_change()
    {
        await App.DefineAsync("cooking", 3);

        Assert.Equal("Capacity unchanged",
            await App.TitleOfRefusalAsync(HttpMethod.Put, "/api/courses/cooking/capacity", new { capacity = 3 }, HttpStatusCode.Conflict));
    }

    [Fact]
    public async Task A_wrong_number_of_seats_is_a_bad_request()
    {
        await App.DefineAsync("cooking", 3);

        var problem = await App.RefusedAsync(HttpMethod.Put, "/api/courses/cooking/capacity", new { capacity = 0 }, HttpStatusCode.BadRequest);
        Assert.True(problem.GetProperty("errors").TryGetProperty("capacity", out _));
    }

    [Fact]
    public async Task One_seat_is_told_as_one()
    {
        await App.DefineAsync("cooking", 1);

        var problem = await App.RefusedAsync(HttpMethod.Put, "/api/courses/cooking/capacity", new { capacity = 1 }, HttpStatusCode.Conflict);
        Assert.Equal("The course has 1 seat already.", problem.GetProperty("detail").GetString());
    }

    private Task<long> ChangeCapacityAsync(string courseId, int capacity) =>
        App.DoAsync(HttpMethod.Put, $"/api/courses/{courseId}/capacity", new { capacity }, HttpStatusCode.OK);

    private static IEnumerable<string?> Ids(JsonElement courses) =>
        courses.GetProperty("items").EnumerateArray().Select(course => course.GetProperty("courseId").GetString());
}
