using System.Text.Json;

namespace Opossum.SampleTests.CourseManagement;

public sealed class PagingTests : AppTests
{
    [Fact]
    public async Task A_list_is_read_page_by_page()
    {
        var position = 0L;
        foreach (var course in (string[])["e", "d", "c", "b", "a"])
            position = await App.DefineAsync(course);

        var page = await App.GetAsync($"/api/courses?skip=2&limit=2&after={position}");
        Assert.Equal(5, page.GetProperty("total").GetInt32());
        Assert.Equal(["c", "d"], Ids(page, "courseId"));
        Assert.Equal(["e"], Ids(await App.GetAsync("/api/courses?skip=4&limit=2"), "courseId"));
        Assert.Empty(Ids(await App.GetAsync("/api/courses?skip=6"), "courseId"));
    }

    [Fact]
    public async Task A_list_is_searched_by_title_name_and_id_in_any_case()
    {
        foreach (var student in (string[])["ada", "ben", "cleo"])
            await App.RegisterAsync(student);
        await App.DefineAsync("cooking");
        await App.DefineAsync("walking");
        await App.SubscribeAsync("cooking", "ben");
        var position = await App.SubscribeAsync("cooking", "ada");

        Assert.Equal(["ben"], Ids(await App.GetAsync($"/api/students?search=BE&after={position}"), "studentId"));
        Assert.Equal(["ada", "ben", "cleo"], Ids(await App.GetAsync("/api/students?search=name%20OF"), "studentId"));
        Assert.Equal(["walking"], Ids(await App.GetAsync($"/api/courses?search=walk&full=false&after={position}"), "courseId"));
        Assert.Equal(0, (await App.GetAsync("/api/courses?search=swim")).GetProperty("total").GetInt32());

        var students = (await App.GetAsync("/api/courses/cooking?search=ada")).GetProperty("students");
        Assert.Equal(["ada"], Ids(students, "studentId"));
        students = (await App.GetAsync("/api/courses/cooking?skip=1&limit=1")).GetProperty("students");
        Assert.Equal((2, "ben"), (students.GetProperty("total").GetInt32(), Assert.Single(Ids(students, "studentId"))));
    }

    private static IEnumerable<string?> Ids(JsonElement page, string id) =>
        page.GetProperty("items").EnumerateArray().Select(item => item.GetProperty(id).GetString());
}
