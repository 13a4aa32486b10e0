namespace Opossum.ProcessTests.Worker;

/// <summary>An append's condition as events record it.</summary>
/// <param name="Items">The query's items; none: every event.</param>
/// <param name="After">The condition's position.</param>
internal sealed record Guard(GuardItem[] Items, long? After)
{
    public Query ToQuery() =>
        Items.Length == 0
            ? Query.All
            : Query.FromItems([.. Items.Select(item => new QueryItem { Types = item.Types, Tags = [.. item.Tags.Select(Tag.Parse)] })]);

    public AppendCondition ToCondition() => new(ToQuery(), After);
}

/// <summary>One item of a guard's query.</summary>
internal sealed record GuardItem(string[] Types, string[] Tags);
