using System.Text;
using System.Text.Json;
using FsCheck;
using FsCheck.Fluent;
using Opossum.Serialization;

namespace Opossum.Tests.Properties;

/// <summary>The text of a query gives back the query, and is the same whatever the order in the query.</summary>
public sealed class QueryTextPropertyTests
{
    private static readonly Gen<Query> anyWithItems = Generators.Query.Where(static query => !query.IsAll);

    [Fact]
    public void The_query_of_a_text_matches_the_same_events_and_has_the_same_text() =>
        Generators.Check(1_000, Gen.Zip(Generators.Query, Gen.ArrayOf(Generators.Event, 12)), input =>
        {
            var (query, events) = input;
            var text = QueryText.Of(query);
            var read = QueryText.Read(JsonElement.Parse(text));

            Assert.Equal(text, QueryText.Of(read));
            Assert.Equal(text, JsonText.Normalize(text, out var isCanonical));
            Assert.True(isCanonical);
            foreach (var e in events)
                Assert.Equal(query.Matches(e.Type!, e.Tags), read.Matches(e.Type!, e.Tags));
        });

    [Fact]
    public void The_order_and_what_is_given_twice_do_not_count() =>
        Generators.Check(1_000, Gen.Zip(anyWithItems, Gen.Choose(0, int.MaxValue)), input =>
        {
            var random = new Random(input.Item2);
            var items = input.Item1.Items.Select(item => new QueryItem
            {
                Types = Shuffled(item.Types, random),
                Tags = Shuffled(item.Tags, random),
            });

            var other = Query.FromItems(Shuffled([.. items], random));
            Assert.Equal(TextOf(input.Item1), TextOf(other));
        });

    [Fact]
    public void Texts_are_in_the_order_of_their_code_units()
    {
        var query = Query.FromItems(Events.Item(["t"], "k:v"), Events.Item(["豈", "😀"]),
            Events.Item([], "é:1", "a:2", "a:10", "B:"));

        Assert.Equal("""[{"tags":["B:","a:10","a:2","é:1"]},{"types":["t"],"tags":["k:v"]},{"types":["😀","豈"]}]""",
            TextOf(query));
    }

    private static string TextOf(Query query) => Encoding.UTF8.GetString(QueryText.Of(query));

    // Each once or twice.
    private static T[] Shuffled<T>(IReadOnlyList<T> all, Random random)
    {
        T[] more = [.. all, .. all.Where(_ => random.Next(2) == 0)];
        random.Shuffle(more);
        return more;
    }
}
