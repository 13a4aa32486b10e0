using System.Net;
using System.Text.RegularExpressions;

namespace Opossum.AspNetCoreTests.Pages;

public sealed partial class HostileTextTests
{
    public const string Script = "</title><script>alert(1)</script><img src=x onerror=alert(1)>'\"--><!--";

    [Fact]
    public async Task Markup_in_events_stays_text_on_every_page()
    {
        await using var app = await PageApp.StartAsync();
        await AppendHostileAsync(app, Script);

        foreach (var path in (string[])["", "events/1", "store", "projections", $"?type={Uri.EscapeDataString(Script)}",
            $"?tag={Uri.EscapeDataString("key:" + Script)}"])
        {
            var text = await app.GetAsync($"/opossum/{path}");
            Assert.DoesNotContain("alert(1)<", text, StringComparison.Ordinal);
            Assert.DoesNotContain("<img", text, StringComparison.Ordinal);
            Assert.DoesNotContain("<!--", text, StringComparison.Ordinal);
            Assert.Equal("<script src=\"" + (path.StartsWith('e') ? "../" : "./") + "opossum.js\" defer></script>",
                Assert.Single(ScriptElement().Matches(text)).Value);
        }
        foreach (var query in (string[])["since", "position", "tag", "type"])
        {
            using var response = await app.Client.GetAsync($"/opossum/?{query}={Uri.EscapeDataString("\"" + Script)}");
            Assert.DoesNotContain("<img", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("\u202E", "\\u202E")]
    [InlineData("\u2066", "\\u2066")]
    [InlineData("\u200F", "\\u200F")]
    [InlineData("\u0000", "\\u0000")]
    [InlineData("\u001B[31m", "\\u001B[31m")]
    [InlineData("\u0085", "\\u0085")]
    [InlineData("\r", "\\u000D")]
    [InlineData("\u2028", "\\u2028")]
    [InlineData("\uFEFF", "\\uFEFF")]
    [InlineData("\U000E0041", "\\uDB40\\uDC41")]
    public async Task Signs_that_hide_or_turn_text_are_shown_as_escapes(string sign, string shown)
    {
        await using var app = await PageApp.StartAsync();
        await AppendHostileAsync(app, $"a{sign}b");

        foreach (var path in (string[])["", "events/1", "store"])
        {
            var text = await app.GetAsync($"/opossum/{path}");
            Assert.Contains($"a{shown}b", text, StringComparison.Ordinal);
            // A value that is sent back with a form keeps the sign, encoded.
            Assert.DoesNotContain(sign, Attribute().Replace(text, ""), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Other_languages_and_emoji_stay_as_they_are()
    {
        const string Words = "Größe, حجم, 大きさ, می‌خواهم, 👩‍🚀";
        await using var app = await PageApp.StartAsync();
        await AppendHostileAsync(app, Words);

        Assert.Contains($"<bdi>{Words}</bdi>", WebUtility.HtmlDecode(await app.GetAsync("/opossum/events/1")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_tag_with_any_signs_is_found_by_its_link()
    {
        await using var app = await PageApp.StartAsync();
        await AppendHostileAsync(app, "a\u0000\u202E&type=x #%/?\"<b>");
        await app.AppendAsync("other");

        var link = Regex.Match(await app.GetAsync("/opossum/"), "<ul class=\"tags\"><li><a href=\"([^\"]*)\"").Groups[1].Value;

        Assert.Equal([1], BrowsingTests.PositionsIn(await app.GetAsync("/opossum/" + WebUtility.HtmlDecode(link))));
    }

    [Fact]
    public async Task Large_events_make_no_large_pages()
    {
        LongTests.SkipUnlessAsked();
        await using var app = await PageApp.StartAsync();
        // Multi-byte text, so that a cut can fall inside a character.
        var text = new string('ä', 4_000_000);
        await app.AppendAsync("large", $"\"{text}\"", [.. Enumerable.Range(0, 1_000).Select(static each => new Tag("key", $"{each}{new string('x', 500)}"))]);
        // Each element would take 2,000 blanks of indentation.
        await app.AppendAsync("deep", $"{new string('[', 60)}{string.Join(',', Enumerable.Repeat("1", 30_000))}{new string(']', 60)}");

        var (list, large, deep) = (await app.GetAsync("/opossum/"), await app.GetAsync("/opossum/events/1"), await app.GetAsync("/opossum/events/2"));

        Assert.True(list.Length < 40_000, $"The list has {list.Length} characters.");
        Assert.True(large.Length < 500_000, $"The page of the large event has {large.Length} characters.");
        Assert.True(deep.Length < 100_000, $"The page of the deep event has {deep.Length} characters.");
        Assert.Contains("This is the beginning of the data.", large, StringComparison.Ordinal);
        Assert.DoesNotContain("\uFFFD", list + large + deep, StringComparison.Ordinal);
        Assert.True((await app.GetAsync("/opossum/events/1/download")).Length > 4_000_000);
    }

    /// <summary>Appends an event that has the text wherever an event can have text.</summary>
    internal static Task AppendHostileAsync(TestApp app, string text)
    {
        var json = System.Text.Json.JsonSerializer.Serialize(new Dictionary<string, string> { [text] = text });
        var hostile = NewEvent.FromJson(text, json, new Tag("key", text)) with { Metadata = new Dictionary<string, string> { [text] = text } };
        return app.Store.AppendAsync(hostile);
    }

    [GeneratedRegex("<script[^>]*>[^<]*</script>|<script")]
    private static partial Regex ScriptElement();

    [GeneratedRegex("value=\"[^\"]*\"")]
    private static partial Regex Attribute();
}
