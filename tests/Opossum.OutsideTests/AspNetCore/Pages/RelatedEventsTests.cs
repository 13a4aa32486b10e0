using System.Text.RegularExpressions;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCoreTests.Pages;

public sealed partial class RelatedEventsTests
{
    private const string Trace = "4bf92f3577b34da6a3ce929d0e0e4736";

    [Fact]
    public async Task What_followed_from_an_event_is_shown_below_it()
    {
        await using var app = await PageApp.StartAsync();
        var placed = NewEvent.FromJson("placed", "{}");
        var paid = Caused("paid", placed);
        await app.Store.AppendAsync([placed, NewEvent.FromJson("other", "{}"), paid, Caused("shipped", paid), Caused("thanked", placed)]);

        var text = await app.GetAsync("/opossum/events/1");

        // In the order of the page: what followed from an event stands before the next one of its own cause.
        Assert.Equal([1, 3, 4, 5], Shown(text));
        Assert.Equal([1, 3, 4], Shown(await app.GetAsync("/opossum/events/3")));
        Assert.Equal([1, 3, 4], Shown(await app.GetAsync("/opossum/events/4")));
        Assert.Contains("aria-current=\"true\">1 ", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_a_reaction_appends_follows_from_the_event_that_it_handled()
    {
        await using var app = await PageApp.StartAsync(static (_, store) => store.AddReaction<Thanks>());
        // In one append: what the reaction appends comes after both.
        await app.Store.AppendAsync([NewEvent.FromJson("placed", "{}"), NewEvent.FromJson("other", "{}")]);
        await app.Services.GetRequiredService<IFileSystemEventStore>().Reactions["thanks"].WaitForAsync(2);

        Assert.Equal([1, 3], Shown(await app.GetAsync("/opossum/events/1")));
        Assert.Equal([1, 3], Shown(await app.GetAsync("/opossum/events/3")));
    }

    [Fact]
    public async Task Events_with_the_same_correlation_or_trace_belong_together()
    {
        await using var app = await PageApp.StartAsync();
        var placed = With(NewEvent.FromJson("placed", "{}"), "correlationId", "order 7");
        await app.Store.AppendAsync(
        [
            placed,
            With(NewEvent.FromJson("billed", "{}"), "correlationId", "order 7"),
            With(NewEvent.FromJson("billed", "{}"), "correlationId", "order 8"),
            With(NewEvent.FromJson("seen", "{}"), "traceparent", $"00-{Trace}-00f067aa0ba902b7-01"),
            With(NewEvent.FromJson("heard", "{}"), "traceparent", $"00-{Trace}-00f067aa0ba902b8-00"),
        ]);

        Assert.Equal([1, 2], Shown(await app.GetAsync("/opossum/events/1")));
        Assert.Equal([4, 5], Shown(await app.GetAsync("/opossum/events/5")));
        Assert.Contains("No event from position 1 to 5", await app.GetAsync("/opossum/events/3"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_event_without_a_correlation_is_that_of_what_followed_from_it()
    {
        await using var app = await PageApp.StartAsync();
        var placed = NewEvent.FromJson("placed", "{}");
        await app.Store.AppendAsync([placed, With(NewEvent.FromJson("billed", "{}"), "correlationId", $"{placed.Id}")]);

        Assert.Equal([1, 2], Shown(await app.GetAsync("/opossum/events/1")));
        Assert.Equal([1, 2], Shown(await app.GetAsync("/opossum/events/2")));
    }

    [Fact]
    public async Task Causes_that_go_in_a_circle_are_shown_all_the_same()
    {
        await using var app = await PageApp.StartAsync();
        var (first, second) = (NewEvent.FromJson("first", "{}"), NewEvent.FromJson("second", "{}"));
        await app.Store.AppendAsync([With(first, "causationId", $"{second.Id}"), With(second, "causationId", $"{first.Id}")]);

        Assert.Equal([1, 2], Shown(await app.GetAsync("/opossum/events/1")));
    }

    [Fact]
    public async Task The_search_ends_at_a_number_of_positions_and_can_go_further()
    {
        await using var app = await PageApp.StartAsync();
        var placed = NewEvent.FromJson("placed", "{}");
        await app.Store.AppendAsync([placed, .. Enumerable.Range(0, 1_500).Select(static _ => NewEvent.FromJson("other", "{}")), Caused("late", placed)]);

        var text = await app.GetAsync("/opossum/events/1");
        Assert.Contains("No event from position 1 to 1,001", text, StringComparison.Ordinal);
        Assert.Contains("href=\"?around=10000#related\"", text, StringComparison.Ordinal);
        Assert.Equal([1, 1_502], Shown(await app.GetAsync("/opossum/events/1?around=10000")));
    }

    private static NewEvent Caused(string type, NewEvent cause) => With(NewEvent.FromJson(type, "{}"), "causationId", $"{cause.Id}");

    private static NewEvent With(NewEvent e, string name, string value) => e with { Metadata = new Dictionary<string, string> { [name] = value } };

    private static IEnumerable<long> Shown(string text) =>
        Related().Matches(text[text.IndexOf("What followed from what", StringComparison.Ordinal)..])
            .Select(static match => long.Parse(match.Groups["position"].Value));

    [GeneratedRegex("<li><a href=\"(?<position>[0-9]+)\"")]
    private static partial Regex Related();

    private sealed class Thanks : Reaction
    {
        public Thanks()
            : base("thanks")
        {
            StartFrom(ReactionStart.Beginning);
            On("placed", static (context, cancellationToken) =>
                context.AppendAsync(NewEvent.FromJson("thanked", "{}"), cancellationToken: cancellationToken));
        }
    }
}
