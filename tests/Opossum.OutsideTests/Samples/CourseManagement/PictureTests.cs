using System.Net;

namespace Opossum.SampleTests.CourseManagement;

public sealed class PictureTests : AppTests
{
    [Fact]
    public async Task Seats_and_students_agree_while_others_come_and_go()
    {
        await App.DefineAsync("cooking", 1_000);
        await App.RegisterAsync("ada");
        await App.RegisterAsync("ben");
        using var stop = new CancellationTokenSource();
        var others = Task.WhenAll(ComeAndGoAsync("ada", stop.Token), ComeAndGoAsync("ben", stop.Token));

        for (var look = 0; look < 200; look++)
        {
            var shown = await App.GetAsync("/api/courses/cooking");
            Assert.Equal(shown.GetProperty("course").GetProperty("subscribed").GetInt32(),
                shown.GetProperty("students").GetProperty("items").GetArrayLength());
            var student = await App.GetAsync("/api/students/ada");
            Assert.Equal(student.GetProperty("student").GetProperty("courseIds").GetArrayLength(),
                student.GetProperty("courses").GetArrayLength());
        }
        await stop.CancelAsync();
        await others;
    }

    [Fact]
    public async Task A_picture_counts_every_event_that_is_stored_and_says_up_to_which()
    {
        await App.DefineAsync("cooking", 2);
        await App.RegisterAsync("ada");
        var position = await App.SubscribeAsync("cooking", "ada");

        var course = await App.GetAsync("/api/courses/cooking");
        Assert.Equal(position, course.GetProperty("position").GetInt64());
        Assert.Equal(1, course.GetProperty("course").GetProperty("subscribed").GetInt32());
        var student = await App.GetAsync("/api/students/ada");
        Assert.Equal(position, student.GetProperty("position").GetInt64());
        Assert.Equal(1, Assert.Single(student.GetProperty("courses").EnumerateArray()).GetProperty("subscribed").GetInt32());
    }

    private async Task ComeAndGoAsync(string studentId, CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            await App.SubscribeAsync("cooking", studentId);
            await App.DoAsync(HttpMethod.Delete, $"/api/courses/cooking/subscriptions/{studentId}", null, HttpStatusCode.OK);
        }
    }
}
