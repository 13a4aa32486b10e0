using System.Net;
using Microsoft.Playwright;
using static Microsoft.Playwright.Assertions;

namespace Opossum.SampleTests.CourseManagement;

public sealed class PageTests : AppTests
{
    [Fact]
    public async Task A_visitor_fills_a_course_and_hears_what_is_refused_and_what_others_do()
    {
        var chromium = Chromium.Find();
        Assert.SkipWhen(chromium is null, "There is no Chromium on this machine; install it or name it with the environment variable CHROMIUM.");
        App.UseKestrel(0);
        App.StartServer();
        using var playwright = await Playwright.CreateAsync();
        await using var browser =
            await playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions { ExecutablePath = chromium, Args = ["--no-sandbox"] });
        var page = await browser.NewPageAsync();
        var errors = new List<string>();
        page.PageError += (_, error) => errors.Add(error);
        await page.GotoAsync(App.ClientOptions.BaseAddress.ToString());
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
        await Expect(course).ToContainTextAsync("0 of 1 seats taken");
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

        await course.GetByLabel("Student to subscribe").SelectOptionAsync("Ada");
        await course.GetByRole(AriaRole.Button, new LocatorGetByRoleOptions { Name = "Subscribe", Exact = true }).ClickAsync();
        await Expect(course).ToContainTextAsync("1 of 1 seats taken");
        await Expect(course.Locator(".badge")).ToHaveTextAsync("Full");
        await Expect(page.Locator("#news")).ToHaveTextAsync("Ada is subscribed to Cooking for <beginners>.");

        // A rule's refusal is said where the command was given.
        await course.GetByLabel("Student to subscribe").SelectOptionAsync("Ben");
        await course.GetByRole(AriaRole.Button, new LocatorGetByRoleOptions { Name = "Subscribe", Exact = true }).ClickAsync();
        await Expect(course.GetByRole(AriaRole.Alert)).ToHaveTextAsync("Course full: Its only seat is taken.");

        // What somebody else does is seen without asking for it.
        await App.DoAsync(HttpMethod.Put, "/api/courses/cooking-1/capacity", new { capacity = 3 }, HttpStatusCode.OK);
        await Expect(course).ToContainTextAsync("1 of 3 seats taken");
        await Expect(course.GetByLabel("Student to subscribe")).ToHaveValueAsync("ben");

        await page.GetByLabel("Full").CheckAsync();
        await Expect(page.GetByText("No course is full.")).ToBeVisibleAsync();
        await page.GetByLabel("Free seats").CheckAsync();
        await course.GetByLabel("Unsubscribe Ada from Cooking for <beginners>").ClickAsync();
        await Expect(course).ToContainTextAsync("0 of 3 seats taken");
        Assert.Empty(errors);
    }
}
