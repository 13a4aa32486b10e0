using Opossum.Serialization;

namespace Opossum;

/// <summary>
/// A rule that gives events a tag they were not appended with: the value of a JSON member becomes a tag of every event of a type, also of those that
/// are stored already. No event is rewritten: the rule is undone when it is removed.
/// </summary>
/// <remarks>
/// A text becomes the tag's value as it is; a number, <c>true</c> and <c>false</c> as the JSON has them. Null, objects, arrays, encrypted values, and
/// texts of more than 10,000 characters give no tag. See docs/changing-events.md.
/// </remarks>
/// <example><code>
/// await store.AddTagRuleAsync(new TagRule("order-placed", "customer.id", "customer"));
/// await foreach (var e in store.ReadAsync(Query.FromTags(new Tag("customer", "c1"))))
///     Console.WriteLine(e);
/// </code></example>
public sealed record TagRule
{
    /// <summary>Creates a rule.</summary>
    /// <param name="eventType">The stable name of the events' type, such as <c>order-placed</c>.</param>
    /// <param name="member">
    /// The path of the member in the data as stored: names with dots between them, <c>[]</c> for each element of an array; <c>customer.id</c>,
    /// <c>lines[].sku</c>. At most 8,000 characters.
    /// </param>
    /// <param name="key">The key of the tags, such as <c>customer</c>.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentException">The type, the path or the key is not allowed.</exception>
    public TagRule(string eventType, string member, string key)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        MemberPath.Parse(member, nameof(member));
        NameRules.CheckTagKey(key, nameof(key));
        NameRules.CheckTagRule(eventType, member, key);
        EventType = eventType;
        Member = member;
        Key = key;
    }

    /// <summary>The stable name of the events' type.</summary>
    public string EventType { get; }

    /// <summary>The path of the member.</summary>
    public string Member { get; }

    /// <summary>The key of the tags.</summary>
    public string Key { get; }

    /// <summary>The rule in words, such as <c>order-placed customer.id -> customer</c>.</summary>
    public override string ToString() => $"{EventType} {Member} -> {Key}";
}
