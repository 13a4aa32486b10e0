using System.Globalization;
using System.Net;
using System.Text.RegularExpressions;
using Opossum.Tests.Architecture;

namespace Opossum.AspNetCoreTests.Pages;

public sealed partial class HeaderTests
{
    [Theory]
    [InlineData("")]
    [InlineData("events/1")]
    [InlineData("events/2")]
    [InlineData("events/1/download")]
    [InlineData("projections")]
    [InlineData("projections/keyed-texts")]
    [InlineData("projections/keyed-texts/state?key=a")]
    [InlineData("projections/keyed-texts/state/download?key=a")]
    [InlineData("store")]
    [InlineData("opossum.css")]
    [InlineData("opossum.js")]
    [InlineData("opossum.svg")]
    public async Task Every_answer_forbids_what_does_not_come_from_its_own_files(string path)
    {
        await using var app = await StatesTests.StartAsync();
        await StatesTests.SetAsync(app, ["a"]);

        using var response = await app.Client.GetAsync($"/opossum/{path}");
        var text = await response.Content.ReadAsStringAsync();

        var policy = Assert.Single(response.Headers.GetValues("Content-Security-Policy"));
        Assert.StartsWith("default-src 'none'; ", policy, StringComparison.Ordinal);
        Assert.DoesNotContain("unsafe", policy, StringComparison.Ordinal);
        Assert.Equal("nosniff", Assert.Single(response.Headers.GetValues("X-Content-Type-Options")));
        Assert.DoesNotMatch(InlineCode(), text);
        Assert.Equal(path == "opossum.svg" ? ["http://www.w3.org/2000/svg"] : [], OutsideAddress().Matches(text).Select(static match => match.Value));
    }

    [Theory]
    [InlineData("")]
    [InlineData("events/1")]
    [InlineData("events/1/download")]
    [InlineData("projections/keyed-texts")]
    [InlineData("projections/keyed-texts/state?key=a")]
    [InlineData("projections/keyed-texts/state/download?key=a")]
    [InlineData("store")]
    public async Task What_shows_events_is_kept_by_nobody(string path)
    {
        await using var app = await StatesTests.StartAsync();
        await StatesTests.SetAsync(app, ["a"]);

        using var response = await app.Client.GetAsync($"/opossum/{path}");

        Assert.True(response.Headers.CacheControl?.NoStore);
    }

    [Theory]
    [InlineData("opossum.css")]
    [InlineData("opossum.js")]
    [InlineData("opossum.svg")]
    public async Task The_own_files_are_sent_once(string name)
    {
        await using var app = await PageApp.StartAsync();
        using var first = await app.Client.GetAsync($"/opossum/{name}");
        using var request = new HttpRequestMessage(HttpMethod.Get, $"/opossum/{name}") { Headers = { { "If-None-Match", $"{first.Headers.ETag}" } } };

        using var second = await app.Client.SendAsync(request);

        Assert.Equal((HttpStatusCode.OK, HttpStatusCode.NotModified), (first.StatusCode, second.StatusCode));
        Assert.Empty(await second.Content.ReadAsByteArrayAsync());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void The_colours_have_the_contrast_that_people_with_weak_eyes_need(int scheme)
    {
        var css = File.ReadAllText(Path.Combine(SourceTree.Root, "src", "Opossum.AspNetCore", "Assets", "opossum.css"));
        var colours = ColourScheme().Matches(css)[scheme].Groups["colours"].Value;
        var byName = Colour().Matches(colours).ToDictionary(static match => match.Groups["name"].Value, static match => match.Groups["value"].Value);

        foreach (var background in (string[])["background", "raised"])
        {
            foreach (var text in (string[])["text", "faint", "link", "problem", "good", "warning"])
                Assert.True(Contrast(byName[text], byName[background]) >= 4.5, $"{text} on {background}");
            // WCAG 2.2, 1.4.11: the edges of controls.
            Assert.True(Contrast(byName["border"], byName[background]) >= 3, $"border on {background}");
        }
        Assert.True(Contrast(byName["on-button"], byName["button"]) >= 4.5, "on-button on button");
    }

    // As WCAG 2.2 defines it.
    private static double Contrast(string first, string second)
    {
        var (one, other) = (Luminance(first), Luminance(second));
        return (Math.Max(one, other) + 0.05) / (Math.Min(one, other) + 0.05);
    }

    private static double Luminance(string colour)
    {
        double[] weights = [0.2126, 0.7152, 0.0722];
        return weights.Select((weight, at) =>
        {
            var value = int.Parse(colour.AsSpan(at * 2, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture) / 255.0;
            return weight * (value <= 0.04045 ? value / 12.92 : Math.Pow((value + 0.055) / 1.055, 2.4));
        }).Sum();
    }

    [GeneratedRegex("<style|\\sstyle=|\\son[a-z]+=|javascript:|<script(?![^>]* src=)")]
    private static partial Regex InlineCode();

    [GeneratedRegex("https?://[^\"' )]+")]
    private static partial Regex OutsideAddress();

    [GeneratedRegex(":root \\{(?<colours>[^}]*)\\}")]
    private static partial Regex ColourScheme();

    [GeneratedRegex("--(?<name>[a-z-]+): #(?<value>[0-9a-f]{6});")]
    private static partial Regex Colour();
}
