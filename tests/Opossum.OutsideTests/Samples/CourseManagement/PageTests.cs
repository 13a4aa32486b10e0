using System.Net;
using global::CourseManagement;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Playwright;
using static Microsoft.Playwright.Assertions;

namespace Opossum.SampleTests.CourseManagement;

public sealed class PageTests : AppTests
{
    [Fact]
    public async Task A_visitor_fills_a_course_and_hears_what_is_refused_and_what_others_do()
    {
        await using var visit = await Visit.BeginAsync(App);
        var page = visit.Page;
        await Expect(page.GetByText("No course is defined yet.")).ToBeVisibleAsync();
        await Expect(page.Locator("#connection")).ToHaveTextAsync("Live");

        // What is wrong with a field is said beside it.
        var define = page.Locator("#define");
        await define.GetByLabel("Course id").FillAsync("Cooking 1");
        await define.GetByRole(AriaRole.Button).ClickAsync();
        await Expect(define.GetByLabel("Course id")).ToHaveAccessibleDescriptionAsync("An id is 1 to 40 small letters, digits and hyphens, and "
            + "does not begin with a hyphen.");
        await Expect(define.GetByLabel("Course id")).ToBeFocusedAsync();
        await Expect(define.GetByLabel("Title")).ToHaveAttributeAsync("aria-invalid", "true");

        await define.GetByLabel("Course id").FillAsync("cooking-1");
        await define.GetByLabel("Title").FillAsync("Cooking for <beginners>");
        await define.GetByLabel("Seats").FillAsync("1");
        await define.GetByRole(AriaRole.Button).ClickAsync();
        var course = page.Locator("#courses > li").Filter(new LocatorFilterOptions { HasText = "Cooking for <beginners>" });
        await Expect(course).ToContainTextAsync("0 of 1 seat taken");
        await Expect(define.GetByLabel("Course id")).ToHaveValueAsync("");

        var register = page.Locator("#register");
        await register.GetByLabel("Student id").FillAsync("ada");
        await register.GetByLabel("Name").FillAsync("Ada");
        await register.GetByRole(AriaRole.Button).ClickAsync();
        await Expect(page.Locator("#students")).ToContainTextAsync("0 courses");
        await register.GetByLabel("Student id").FillAsync("ben");
        await register.GetByLabel("Name").FillAsync("Ben");
        await register.GetByRole(AriaRole.Button).ClickAsync();
        await Expect(page.Locator("#students > li")).ToHaveCountAsync(2);

        await course.GetByText("Students").ClickAsync();
        await course.GetByLabel("Student to subscribe").FillAsync("Ada");
        await course.GetByRole(AriaRole.Button, new LocatorGetByRoleOptions { Name = "Subscribe", Exact = true }).ClickAsync();
        await Expect(course).ToContainTextAsync("1 of 1 seat taken");
        await Expect(course.Locator(".badge")).ToHaveTextAsync("Full");
        await Expect(page.Locator("#news")).ToHaveTextAsync("Ada is subscribed to Cooking for <beginners>.");

        // A rule's refusal is said where the command was given.
        await course.GetByLabel("Student to subscribe").FillAsync("ben");
        await course.GetByRole(AriaRole.Button, new LocatorGetByRoleOptions { Name = "Subscribe", Exact = true }).ClickAsync();
        await Expect(course.GetByRole(AriaRole.Alert)).ToHaveTextAsync("Course full: Its only seat is taken.");

        // What somebody else does is seen without asking for it.
        await App.DoAsync(HttpMethod.Put, "/api/courses/cooking-1/capacity", new { capacity = 3 }, HttpStatusCode.OK);
        await Expect(course).ToContainTextAsync("1 of 3 seats taken");
        await Expect(course.GetByLabel("Student to subscribe")).ToHaveValueAsync("ben");

        await page.GetByLabel("Full").CheckAsync();
        await Expect(page.GetByText("No course is full.")).ToBeVisibleAsync();
        await page.GetByLabel("Free seats").CheckAsync();
        await course.GetByText("Students").ClickAsync();
        await course.GetByLabel("Unsubscribe Ada from Cooking for <beginners>").ClickAsync();
        await Expect(course).ToContainTextAsync("0 of 3 seats taken");
        Assert.Empty(visit.Errors);
    }

    [Fact]
    public async Task Focus_stays_where_it_was_when_a_button_was_pressed()
    {
        await using var visit = await Visit.BeginAsync(App);
        var page = visit.Page;
        await App.DefineAsync("cooking", 2);
        foreach (var student in (string[])["ada", "ben", "cleo"])
            await App.RegisterAsync(student);
        var course = page.Locator("#courses > li");
        var subscribe = course.GetByRole(AriaRole.Button, new LocatorGetByRoleOptions { Name = "Subscribe", Exact = true });
        await course.Locator("summary").ClickAsync();

        await course.GetByLabel("Student to subscribe").FillAsync("ada");
        await subscribe.FocusAsync();
        await page.Keyboard.PressAsync("Enter");
        await Expect(course).ToContainTextAsync("1 of 2 seats taken");
        await Expect(subscribe).ToBeFocusedAsync();
        await Expect(subscribe).ToBeEnabledAsync();

        // The next student's button follows when a student has left, and the name of the list when it was the last one.
        await App.SubscribeAsync("cooking", "ben");
        await course.GetByLabel("Unsubscribe Name of ada").FocusAsync();
        await page.Keyboard.PressAsync("Enter");
        await Expect(course.GetByLabel("Unsubscribe Name of ben")).ToBeFocusedAsync();
        await page.Keyboard.PressAsync("Enter");
        await Expect(course.Locator(".members > li")).ToHaveCountAsync(0);
        await Expect(course.Locator("summary")).ToBeFocusedAsync();

        // The course leaves the list of those with free seats.
        await page.GetByLabel("Free seats").CheckAsync();
        await App.SubscribeAsync("cooking", "ben");
        await course.GetByLabel("Student to subscribe").FillAsync("cleo");
        await subscribe.FocusAsync();
        await page.Keyboard.PressAsync("Enter");
        await Expect(page.GetByText("No course has a free seat.")).ToBeVisibleAsync();
        await Expect(page.Locator("#courses-heading")).ToBeFocusedAsync();
        Assert.Empty(visit.Errors);
    }

    [Fact]
    public async Task A_page_of_many_courses_and_students_stays_small_and_can_be_searched()
    {
        const int courses = 23, students = 1_000;
        await using var visit = await Visit.BeginAsync(App);
        await FillAsync(courses, students);
        var page = visit.Page;
        await Expect(page.Locator("#courses > li")).ToHaveCountAsync(20);
        await Expect(page.Locator("#students > li")).ToHaveCountAsync(20);
        var pages = page.GetByRole(AriaRole.Navigation, new PageGetByRoleOptions { Name = "Pages of courses" });
        await Expect(pages).ToContainTextAsync("1–20 of 23 courses");

        var course = page.Locator("#courses > li").First;
        await course.Locator("summary").ClickAsync();
        await Expect(course.Locator(".members > li")).ToHaveCountAsync(20);
        await Expect(course).ToContainTextAsync("1–20 of 900 students");
        Assert.InRange(await page.EvaluateAsync<int>("document.querySelectorAll('*').length"), 1, 1_000);

        // At the end of the list the button stays, and so does the focus.
        var next = pages.GetByText("Next");
        await next.FocusAsync();
        await page.Keyboard.PressAsync("Enter");
        await Expect(page.Locator("#courses > li")).ToHaveCountAsync(3);
        await Expect(pages).ToContainTextAsync("21–23 of 23 courses");
        await page.Keyboard.PressAsync("Enter");
        await Expect(next).ToBeFocusedAsync();

        await page.GetByLabel("Search courses").FillAsync("course 07");
        await Expect(page.Locator("#courses > li")).ToHaveCountAsync(1);
        await page.GetByLabel("Search students").FillAsync("student 0999");
        await Expect(page.Locator("#students")).ToContainTextAsync("s0999");
        await Expect(page.Locator("#students > li")).ToHaveCountAsync(1);
        await page.Locator("#courses > li").GetByLabel("Student to subscribe").FillAsync("student 0999");
        await Expect(page.Locator("#student-choices > option")).ToHaveCountAsync(1);
        await page.GetByLabel("Search students").FillAsync("nobody");
        await Expect(page.GetByText("No student matches.")).ToBeVisibleAsync();
        Assert.Empty(visit.Errors);
    }

    private async Task FillAsync(int courses, int students)
    {
        var store = App.Services.GetRequiredService<IEventStore>();
        await store.AppendAsync(
        [
            .. Enumerable.Range(0, courses).Select(n => new NewEvent(new CourseDefined($"c{n:00}", $"Course {n:00}", 1_000))),
            .. Enumerable.Range(0, students).Select(n => new NewEvent(new StudentRegistered($"s{n:0000}", $"Student {n:0000}"))),
            .. Enumerable.Range(0, 900).Select(n => new NewEvent(new StudentSubscribed("c00", $"s{n:0000}"))),
        ]);
    }
}
