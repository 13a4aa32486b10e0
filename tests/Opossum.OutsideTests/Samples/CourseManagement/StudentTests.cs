using System.Net;

namespace Opossum.SampleTests.CourseManagement;

public sealed class StudentTests : AppTests
{
    [Fact]
    public async Task A_registered_student_is_shown_and_listed_by_name()
    {
        await App.RegisterAsync("ben");
        var position = await App.RegisterAsync("ada");

        var shown = await App.GetAsync($"/api/students/ben?after={position}");
        Assert.Equal("""{"studentId":"ben","name":"Name of ben","courseIds":[]}""", shown.GetProperty("student").GetRawText());
        Assert.Empty(shown.GetProperty("courses").EnumerateArray());
        var listed = await App.GetAsync($"/api/students?after={position}");
        Assert.Equal(["ada", "ben"], listed.GetProperty("items").EnumerateArray().Select(student => student.GetProperty("studentId").GetString()));
    }

    [Fact]
    public async Task A_student_is_shown_with_the_courses_taken()
    {
        await App.RegisterAsync("ada");
        await App.DefineAsync("walking");
        await App.DefineAsync("cooking");
        await App.SubscribeAsync("walking", "ada");
        var position = await App.SubscribeAsync("cooking", "ada");

        var shown = await App.GetAsync($"/api/students/ada?after={position}");
        Assert.Equal(["Title of walking", "Title of cooking"],
            shown.GetProperty("courses").EnumerateArray().Select(course => course.GetProperty("title").GetString()));
    }

    [Fact]
    public async Task A_student_id_is_given_once()
    {
        await App.RegisterAsync("ada");

        Assert.Equal("Student exists",
            await App.TitleOfRefusalAsync(HttpMethod.Post, "/api/students", new { studentId = "ada", name = "Another" }, HttpStatusCode.Conflict));
    }

    [Fact]
    public async Task A_student_who_is_not_there_is_not_found() =>
        Assert.Equal("Student not found", await App.TitleOfRefusalAsync(HttpMethod.Get, "/api/students/ada", null, HttpStatusCode.NotFound));
}
