namespace Opossum.DocTests;

public sealed class ReadmeSnippets : DocumentCode
{
    [Fact]
    public async Task Example()
    {
        var options = new OpossumOptions { Path = "courses" };
        options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>();
        await using var store = await FileSystemEventStore.OpenAsync(options);
        await store.AppendAsync([new NewEvent(new CourseDefined("c1", Seats: 2))]);

        // The decision depends on the course and on its subscriptions.
        var query = Query.FromTags(new Tag("course", "c1"));
        var events = store.ReadAsync(query);
        var free = 0;
        await foreach (var e in events)
            free += e.Data switch { CourseDefined course => course.Seats, StudentSubscribed => -1, _ => 0 };

        // Throws AppendConditionFailedException if an event with the tag course:c1 was appended since the read.
        if (free > 0)
            await store.AppendAsync([new NewEvent(new StudentSubscribed("c1", "s9"))], new AppendCondition(query, After: events.Head));

        Assert.Equal(2, await store.GetHeadAsync(TestContext.Current.CancellationToken));
    }
}
