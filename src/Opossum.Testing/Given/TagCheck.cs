using Opossum.Storage.Reading;

namespace Opossum.Testing.Given;

/// <summary>Finds events that a decision appends and that the next decision of its kind does not see, because a tag is missing.</summary>
internal static class TagCheck
{
    /// <summary>What is wrong, after the decision's name; null: nothing.</summary>
    /// <param name="events">The store's events, from position 1 on.</param>
    public static string? Find(AppendCondition condition, AppendResult appended, IReadOnlyList<SequencedEvent> events)
    {
        for (var position = appended.FirstPosition; position <= appended.LastPosition; position++)
        {
            var e = events[(int)position - 1];
            if (ForgottenTags.Find(condition, e.Type, e.Tags) is { } item)
            {
                return $"appends {EventText.Of(e, withPosition: false)} and reads events of this type by {item}: the next such decision does not "
                    + $"see it. Give the event the tags. If it is meant so, call {nameof(Scenario.AllowUnreadEvents)}.";
            }
        }
        return null;
    }
}
