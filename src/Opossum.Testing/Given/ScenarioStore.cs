using System.Text.Json;

namespace Opossum.Testing.Given;

/// <summary>The store of one run of a scenario, and the comparisons that its Then steps share.</summary>
internal sealed class ScenarioStore(FileSystemEventStore store, IReadOnlyList<SequencedEvent> given, IReadOnlySet<long> outside)
    : IAsyncDisposable
{
    public FileSystemEventStore Store => store;

    public ValueTask DisposeAsync() => store.DisposeAsync();

    /// <summary>The failure, with the given events below its text.</summary>
    public TestFailedException Failure(string text, Exception? cause = null) =>
        new($"{text}\n{EventText.List("Given", given.Select(static e => EventText.Of(e)))}", cause);

    /// <exception cref="TestFailedException">A given event is not read, or one outside is.</exception>
    public void CheckBoundary(IReadOnlyCollection<Query> queries, string whatReads)
    {
        foreach (var e in given)
        {
            var gap = Boundary.FindGap(e, queries);
            var isOutside = outside.Contains(e.Position);
            if (!isOutside && gap is not null)
            {
                throw Failure($"{whatReads} does not read the given event {EventText.Of(e)}: {gap}. Correct the query or the event; an event that "
                    + $"must not be read belongs into {nameof(Scenario.GivenOutside)}.");
            }
            if (isOutside && gap is null)
                throw Failure($"{whatReads} reads the event {EventText.Of(e)}, which is given as one outside its boundary.");
        }
    }

    /// <exception cref="TestFailedException">An event lacks a tag by which the decision that appended it reads its type.</exception>
    public async Task CheckTagsAsync(IReadOnlyList<(AppendCondition Condition, AppendResult Appended)> appends, string whatAppends)
    {
        var events = await store.ReadAsync(Query.All).ToListAsync().ConfigureAwait(false);
        foreach (var (condition, appended) in appends)
        {
            if (TagCheck.Find(condition, appended, events) is { } forgotten)
                throw Failure($"{whatAppends} {forgotten}");
        }
    }

    /// <exception cref="TestFailedException">The events appended since differ in number, order, type, tags or JSON.</exception>
    public async Task CheckAppendedAsync(IReadOnlyList<object> expected, string whatAppends) =>
        CheckAppended(expected, await ReadAppendedAsync().ConfigureAwait(false), whatAppends);

    /// <exception cref="TestFailedException">The rule does not hold for the events appended since.</exception>
    public async Task CheckAppendedAsync(string rule, Func<IReadOnlyList<SequencedEvent>, bool> holds, string whatAppends) =>
        CheckAppended(rule, holds, await ReadAppendedAsync().ConfigureAwait(false), whatAppends);

    /// <summary>The same for events that were read before.</summary>
    public void CheckAppended(string rule, Func<IReadOnlyList<SequencedEvent>, bool> holds, IReadOnlyList<SequencedEvent> actual, string whatAppends)
    {
        if (!holds(actual))
            throw Failure($"{whatAppends} appended events that break the rule \"{rule}\".\n{EventText.List("Actual", actual)}");
    }

    /// <summary>The same for events that were read before.</summary>
    public void CheckAppended(IReadOnlyList<object> expected, IReadOnlyList<SequencedEvent> actual, string whatAppends)
    {
        var wanted = expected.Count == 0 ? [] : store.Preview([.. expected.Select(GivenEvents.ToNewEvent)]);
        if (wanted.Count == actual.Count && wanted.Zip(actual).All(static pair => AreSame(pair.First, pair.Second)))
            return;
        throw Failure($"{whatAppends} appended other events than expected.\n{EventText.List("Expected", wanted)}\n"
            + EventText.List("Actual", actual));
    }

    private ValueTask<List<SequencedEvent>> ReadAppendedAsync() =>
        store.ReadAsync(Query.All, new ReadOptions { After = given.Count }).ToListAsync();

    private static bool AreSame(SequencedEvent expected, SequencedEvent actual)
    {
        if (expected.Type != actual.Type || expected.Tags.Count != EventText.OwnTags(actual.Tags).Count() || !expected.Tags.All(actual.Has))
            return false;
        using var one = JsonDocument.Parse(expected.Json);
        using var other = JsonDocument.Parse(actual.Json);
        return JsonElement.DeepEquals(one.RootElement, other.RootElement);
    }
}
