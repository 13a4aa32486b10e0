using System.Net;

namespace Opossum.SampleTests.CourseManagement;

public sealed class SubscriptionTests : AppTests
{
    [Fact]
    public async Task A_subscription_is_seen_on_the_course_and_on_the_student()
    {
        await App.DefineAsync("cooking", 3);
        await App.RegisterAsync("ada");
        var position = await App.SubscribeAsync("cooking", "ada");

        var course = await App.GetAsync($"/api/courses/cooking?after={position}");
        Assert.Equal(1, course.GetProperty("course").GetProperty("subscribed").GetInt32());
        Assert.Equal("Name of ada", Assert.Single(course.GetProperty("students").GetProperty("items").EnumerateArray()).GetProperty("name").GetString());
        var student = await App.GetAsync($"/api/students/ada?after={position}");
        Assert.Equal("cooking", Assert.Single(student.GetProperty("courses").EnumerateArray()).GetProperty("courseId").GetString());
    }

    [Fact]
    public async Task A_seat_that_is_given_back_is_free_again()
    {
        await App.DefineAsync("cooking", 1);
        await App.RegisterAsync("ada");
        await App.RegisterAsync("ben");
        await App.SubscribeAsync("cooking", "ada");
        await App.DoAsync(HttpMethod.Delete, "/api/courses/cooking/subscriptions/ada", null, HttpStatusCode.OK);
        var position = await App.SubscribeAsync("cooking", "ben");

        var course = await App.GetAsync($"/api/courses/cooking?after={position}");
        Assert.Equal("ben", Assert.Single(course.GetProperty("students").GetProperty("items").EnumerateArray()).GetProperty("studentId").GetString());
        var ada = await App.GetAsync($"/api/students/ada?after={position}");
        Assert.Empty(ada.GetProperty("courses").EnumerateArray());
    }

    [Fact]
    public async Task Course_and_student_must_be_there()
    {
        await App.RegisterAsync("ada");
        Assert.Equal("Course not found", await RefusalAsync("cooking", "ada", HttpStatusCode.NotFound));

        await App.DefineAsync("cooking");
        Assert.Equal("Student not found", await RefusalAsync("cooking", "ben", HttpStatusCode.NotFound));
    }

    [Fact]
    public async Task The_student_must_be_named()
    {
        await App.DefineAsync("cooking");

        var problem =
            await App.RefusedAsync(HttpMethod.Post, "/api/courses/cooking/subscriptions", new { studentId = "" }, HttpStatusCode.BadRequest);
        Assert.True(problem.GetProperty("errors").TryGetProperty("studentId", out _));
    }

    [Fact]
    public async Task Nobody_subscribes_twice()
    {
        await App.DefineAsync("cooking");
        await App.RegisterAsync("ada");
        await App.SubscribeAsync("cooking", "ada");

        Assert.Equal("Already subscribed", await RefusalAsync("cooking", "ada", HttpStatusCode.Conflict));
    }

    [Fact]
    public async Task A_full_course_takes_nobody()
    {
        await App.DefineAsync("cooking", 1);
        await App.RegisterAsync("ada");
        await App.RegisterAsync("ben");
        await App.SubscribeAsync("cooking", "ada");

        Assert.Equal("Course full", await RefusalAsync("cooking", "ben", HttpStatusCode.Conflict));
    }

    [Fact]
    public async Task A_student_takes_five_courses_at_the_most()
    {
        await App.RegisterAsync("ada");
        foreach (var course in (string[])["a", "b", "c", "d", "e", "f"])
            await App.DefineAsync(course);
        foreach (var course in (string[])["a", "b", "c", "d", "e"])
            await App.SubscribeAsync(course, "ada");
        Assert.Equal("Too many courses", await RefusalAsync("f", "ada", HttpStatusCode.Conflict));

        await App.DoAsync(HttpMethod.Delete, "/api/courses/c/subscriptions/ada", null, HttpStatusCode.OK);
        await App.SubscribeAsync("f", "ada");
    }

    [Fact]
    public async Task A_subscription_that_is_not_there_cannot_be_ended()
    {
        await App.DefineAsync("cooking");
        await App.RegisterAsync("ada");

        Assert.Equal("Subscription not found",
            await App.TitleOfRefusalAsync(HttpMethod.Delete, "/api/courses/cooking/subscriptions/ada", null, HttpStatusCode.NotFound));
    }

    [Fact]
    public async Task Of_two_racers_for_the_last_seat_one_gets_it()
    {
        string[] racers = ["ada", "ben"];
        foreach (var racer in racers)
            await App.RegisterAsync(racer);
        for (var round = 0; round < 10; round++)
        {
            var course = $"cooking-{round}";
            await App.DefineAsync(course, 1);
            var answers =
                await Task.WhenAll(racers.Select(racer => App.SendAsync(HttpMethod.Post, $"/api/courses/{course}/subscriptions",
                    new { studentId = racer })));

            Assert.Equal([HttpStatusCode.Created, HttpStatusCode.Conflict], answers.Select(answer => answer.StatusCode).Order());
            foreach (var racer in racers)
                await App.SendAsync(HttpMethod.Delete, $"/api/courses/{course}/subscriptions/{racer}", null);
        }
    }

    [Fact]
    public async Task Of_one_students_racing_subscriptions_five_succeed()
    {
        await App.RegisterAsync("ada");
        var courses = Enumerable.Range(0, 8).Select(n => $"course-{n}").ToList();
        foreach (var course in courses)
            await App.DefineAsync(course);

        var answers =
            await Task.WhenAll(courses.Select(course => App.SendAsync(HttpMethod.Post, $"/api/courses/{course}/subscriptions",
                new { studentId = "ada" })));

        Assert.Equal(5, answers.Count(answer => answer.StatusCode == HttpStatusCode.Created));
        Assert.Equal(3, answers.Count(answer => answer.StatusCode == HttpStatusCode.Conflict));
    }

    private Task<string?> RefusalAsync(string courseId, string studentId, HttpStatusCode expected) =>
        App.TitleOfRefusalAsync(HttpMethod.Post, $"/api/courses/{courseId}/subscriptions", new { studentId }, expected);
}
