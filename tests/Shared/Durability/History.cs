using System.Text;

namespace Opossum.Tests.Durability;

/// <summary>All appends that were tried on one disk, in the order in which they were begun.</summary>
internal sealed class History
{
    private static readonly string filling = new('x', 600);

    private readonly List<Attempt> attempts = [];
    private int made;

    public IReadOnlyList<Attempt> Attempts => attempts;

    public History Copy()
    {
        var copy = new History { made = made };
        copy.attempts.AddRange(attempts.Select(each => each.Copy()));
        return copy;
    }

    /// <summary>Notes an append of a number of events, which are like no others.</summary>
    public Attempt New(int events = 1, AppendCondition? condition = null)
    {
        var attempt = new Attempt([.. Enumerable.Range(0, events).Select(_ => NewEvent())], condition);
        attempts.Add(attempt);
        return attempt;
    }

    /// <summary>Notes an append that only one can win: the tag is its own, and forbids itself.</summary>
    public Attempt NewUnique(string name, int events = 1)
    {
        var tag = new Tag("unique", name);
        var attempt = new Attempt([.. Enumerable.Range(0, events).Select(_ => NewEvent(tag))], new AppendCondition(Query.FromTags(tag)));
        attempts.Add(attempt);
        return attempt;
    }

    public override string ToString() => string.Join(Environment.NewLine, attempts);

    // Some events are longer than a sector, so that they can be torn.
    private NewEvent NewEvent(params Tag[] more)
    {
        var number = ++made;
        var json = $$"""{"number":{{number}},"text":"{{(number % 3 == 0 ? filling : "short")}}"}""";
        return Opossum.NewEvent.FromJson(number % 2 == 0
            ? "even"
            : "odd", Encoding.UTF8.GetBytes(json), [new Tag("third", $"t{number % 3}"), new Tag("number", $"{number}"), .. more]);
    }
}
