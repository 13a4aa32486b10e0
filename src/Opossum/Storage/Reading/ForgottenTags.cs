using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.Serialization;
using Opossum.Storage.Definitions;

namespace Opossum.Storage.Reading;

/// <summary>
/// Logs, once for each event type, that a decision appends an event which the next decision of its kind does not see, because a tag is missing.
/// </summary>
/// <param name="path">The store's folder, for the log.</param>
internal sealed class ForgottenTags(string path, ILogger logger)
{
    // Type names built from external input must fill neither the memory nor the log.
    private const int TypesMax = 1_000;

    private readonly ConcurrentDictionary<string, bool> logged = new(StringComparer.Ordinal);

    /// <summary>
    /// Finds what a decision reads of an event's type without reading this event: an item with a tag whose key the event lacks, or, where no item
    /// matches the event, any item with its type.
    /// </summary>
    /// <returns>The item; null: there is none, or the condition is not that of a decision.</returns>
    public static QueryItem? Find(AppendCondition condition, string type, IReadOnlyList<Tag> tags)
    {
        if (!condition.IsOfDecision)
            return null;
        var (isRead, missed) = (false, default(QueryItem));
        foreach (var item in condition.FailIfEventsMatch.ItemSpan)
        {
            if (!item.EventTypeSpan.Contains(type))
                continue;
            if (LacksKey(item, tags))
                return item;
            // Outside of the store nobody knows the value that a pseudonym stands for.
            if (item.HasPseudonyms || item.Matches(type, tags))
                isRead = true;
            else
                missed ??= item;
        }
        return isRead ? null : missed;
    }

    public void Note(AppendCondition condition, PreparedEvent[] events, TagRuleSet rules)
    {
        if (!condition.IsOfDecision)
            return;
        foreach (var e in events)
        {
            if (Find(condition, e.Type, rules.TagsOf(e)) is { } item && !logged.ContainsKey(e.Type) && logged.Count < TypesMax
                && logged.TryAdd(e.Type, true))
            {
                StoreLog.TagForgotten(logger, e.Id, e.Type, path, item);
            }
        }
    }

    private static bool LacksKey(QueryItem item, IReadOnlyList<Tag> tags)
    {
        foreach (var wanted in item.TagSpan)
        {
            if (!tags.Any(tag => tag.Key == wanted.Key))
                return true;
        }
        return false;
    }
}
