using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>The events of one type and version in the report of <c>opossum check --types</c>.</summary>
/// <param name="EventType">The type's name, as stored.</param>
/// <param name="ClassVersion">The version of the class; null when the assembly has no class of that name.</param>
/// <param name="Failures">The number of events that cannot be read as objects.</param>
/// <param name="FirstFailures">The positions of the first of these, at most 10.</param>
/// <param name="Problem">What is wrong with the first of these; null when there is none.</param>
/// <param name="NotChecked">The number of events that need an upcaster.</param>
/// <param name="LackingTags">The number of events without a tag that the class declares today.</param>
/// <param name="FirstLackingTags">The positions of the first of these, at most 10.</param>
internal sealed record TypesResult(string EventType, int Version, int? ClassVersion, long Events, long Failures, IReadOnlyList<long> FirstFailures,
    string? Problem, long NotChecked, long LackingTags, IReadOnlyList<long> FirstLackingTags)
{
    public static TypesResult Of(EventTypeCheckResult result) => result.RegisteredVersion > result.Version
        ? new TypesResult(result.EventType, result.Version, result.RegisteredVersion, result.Events, 0, [], null, result.Events, 0, [])
        : new TypesResult(result.EventType, result.Version, result.RegisteredVersion, result.Events, result.Failures, result.FirstFailures,
            result.Problem, 0, result.LackingTags, result.FirstLackingTags);
}
