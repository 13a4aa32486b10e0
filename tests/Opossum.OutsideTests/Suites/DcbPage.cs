using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Opossum.Tests.Suites;

/// <summary>A store over HTTP, as the scripts of dcb.events ask for it: one address that reads, and one that appends.</summary>
internal static class DcbPage
{
    /// <summary>The page on an address of this machine, until it is disposed.</summary>
    public static async Task<WebApplication> StartAsync(IEventStore store)
    {
        var builder = WebApplication.CreateSlimBuilder(["--urls=http://127.0.0.1:0"]);
        builder.Logging.ClearProviders();
        var page = builder.Build();
        page.MapGet("/read", (string query, string? options) =>
            ReadAsync(store, Parse<QueryOfPage>(query), Parse<OptionsOfPage>(options ?? "{}")));
        page.MapPost("/append", (AppendOfPage append) => AppendAsync(store, append));
        await page.StartAsync();
        return page;
    }

    // The data is a text there, and a JSON string here. Theirs begins with a position, ours after one.
    private static async Task<IResult> ReadAsync(IEventStore store, QueryOfPage query, OptionsOfPage options)
    {
        var events = new List<EventOfPage>();
        await foreach (var found in store.ReadAsync(query.ToQuery(), options.ToOptions()))
        {
            events.Add(new EventOfPage(found.Type, [.. found.Tags.Select(static tag => tag.ToString())],
                JsonSerializer.Deserialize<string>(found.Json.Span)!, found.Position));
        }
        return Results.Json(events);
    }

    // How long it took is asked for and not measured.
    private static async Task<IResult> AppendAsync(IEventStore store, AppendOfPage append)
    {
        var failed = false;
        try
        {
            await store.AppendAsync(
                [.. append.Events.Select(static made =>
                    NewEvent.FromJson(made.Type, JsonSerializer.Serialize(made.Data), TagsOf(made.Tags)))],
                append.Condition is { } condition ? new AppendCondition(condition.FailIfEventsMatch.ToQuery(), condition.After) : null);
        }
        catch (AppendConditionFailedException)
        {
            failed = true;
        }
        return Results.Json(new { durationInMicroseconds = 0, appendConditionFailed = failed });
    }

    private static Tag[] TagsOf(string[]? tags) => [.. (tags ?? []).Select(Tag.Parse)];

    private static T Parse<T>(string json) => JsonSerializer.Deserialize<T>(json, JsonSerializerOptions.Web)!;

    private sealed record EventOfPage(string Type, string[] Tags, string Data, long Position);

    private sealed record ItemOfPage(string[]? Types, string[]? Tags);

    private sealed record QueryOfPage(ItemOfPage[] Items)
    {
        public Query ToQuery() => Items.Length == 0 ? Query.All
            : Query.FromItems([.. Items.Select(static item => new QueryItem { Types = item.Types ?? [], Tags = TagsOf(item.Tags) })]);
    }

    private sealed record OptionsOfPage(long? From, long? Limit, bool Backwards)
    {
        public ReadOptions ToOptions() => new()
        {
            After = Backwards ? 0 : Math.Max(0, (From ?? 0) - 1),
            UpTo = Backwards ? From : null,
            Limit = Limit,
            Backwards = Backwards,
        };
    }

    private sealed record ConditionOfPage(QueryOfPage FailIfEventsMatch, long? After);

    private sealed record AppendOfPage(EventOfPage[] Events, ConditionOfPage? Condition);
}
