using System.Text;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Damage;

/// <summary>A closed store before something happens to it: its files, its events, and what may be answered afterwards.</summary>
internal sealed record WholeStore(SortedDictionary<string, byte[]?> Files, IReadOnlyList<SequencedEvent> Events)
{
    /// <summary>Where appends end; a reader may stop at these heads alone.</summary>
    private static readonly long[] ends = [0, 1, 4, 5, 6, 9, 10];

    private static readonly Query[] queries =
        [Query.All, Tagged("k:1"), Tagged("k:2"), Tagged("k:1", "k:😀"), Query.FromEventTypes("b", "d"),
            Query.FromItems(Item(["a"], "k:1"), Item([], "k:3"))];

    public long Head => Events.Count;

    /// <summary>Ten events: single ones and appends of several, many tags and types.</summary>
    public static async Task<WholeStore> CreateAsync(StorePlace place)
    {
        var store = place.Open();
        await store.AppendAsync([New("a", "k:1")]);
        await store.AppendAsync([New("b", "k:1", "k:2"), New("c", "k:3"), New("a", "k:2")]);
        await store.AppendAsync([NewEvent.FromJson("grüße 😀", """{"a":[1,{"b":"\u0000ü"}]}""", new Tag("k", "😀"), new Tag("k", "1"))]);
        await store.AppendAsync([New("b")]);
        await store.AppendAsync([New("b", "k:3"), New("a", "k:1"), New("d", "k:1")]);
        await store.AppendAsync([New("d", "k:2")]);
        var events = await store.ReadAllAsync();
        place.CloseStores();
        return new WholeStore(place.Snapshot(), events);
    }

    /// <summary>Every answer is right for a number of first events, and they end where an append does.</summary>
    public void AssertAnswers(IEventStore store, long? head = null)
    {
        var shown = store.GetHeadAsync().GetAwaiter().GetResult();
        Assert.Contains(shown, ends);
        Assert.Equal(head ?? shown, shown);
        var expected = Events.Take((int)shown).ToList();
        foreach (var query in queries)
        {
            Assert.Equal(expected.Where(query.Matches).Select(Describe), Read(store, query).Select(Describe));
            Assert.Equal(expected.Where(query.Matches).Reverse().Select(Describe), Read(store, query, backwards: true).Select(Describe));
        }
    }

    private static List<SequencedEvent> Read(IEventStore store, Query query, bool backwards = false) =>
        store.ReadAllAsync(query, new ReadOptions { Backwards = backwards }).GetAwaiter().GetResult();

    private static string Describe(SequencedEvent e) =>
        $"{e.Position} {e.Id} {e.Type} {string.Join(' ', e.Tags)} {Encoding.UTF8.GetString(e.Json.Span)}";
}
