using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    [Fact]
    public async Task An_event_is_found_by_its_id_whenever_the_id_was_made_and_whatever_it_is()
    {
        var early = New("early");
        var chosen = New("chosen") with { Id = new Guid("11111111-2222-4333-8444-555555555555") };
        var late = New("late") with { Id = Guid.CreateVersion7(DateTimeOffset.MaxValue.AddYears(-1_000)) };
        NewEvent[] news = [.. Many(40), chosen, .. Many(40), late, early];
        Assert.Null(await store.FindAsync(early.Id));
        foreach (var batch in news.Chunk(9))
            await store.AppendAsync(batch);

        for (var at = 0; at < news.Length; at++)
            Assert.Equal(at + 1, (await store.FindAsync(news[at].Id))?.Position);
        Assert.Null(await store.FindAsync(Guid.CreateVersion7()));
        Assert.Null(await store.FindAsync(Guid.Empty));
    }

    [Fact]
    public async Task A_tag_without_a_value_is_counted_with_its_key()
    {
        await store.AppendAsync([New("a", "featured"), New("a", "featured:"), New("a", "featured", "featured:x")]);

        var keys = (await store.GetStatusAsync()).TagKeys.ToDictionary(static each => each.Key, static each => (each.Events, each.Values));
        Assert.Equal((3, 3), keys["featured"]);
    }
}
