namespace Opossum;

/// <summary>
/// Marks a property as personal data: the store writes its value encrypted, with a key of the person that it is about, so that
/// <see cref="IPersonalData.ForgetAsync"/> makes it unreadable for good. See docs/forgetting.md.
/// </summary>
/// <param name="subjectKey">
/// The key of the tag that names the person (the subject), such as <c>customer</c>. The event carries exactly one tag with this key, unless
/// <see cref="SubjectProperty"/> is set. In a projection's state, the state's key is the tag's value.
/// </param>
/// <remarks>
/// The property is nullable, or has a <see cref="Placeholder"/>: it is what readers get once the person is forgotten. The value is encrypted as a
/// whole, whatever its type; null is stored as null. A tag stays readable, so a personal property may not be a tag as well, unless the tag is a
/// pseudonym (<see cref="TagAttribute.IsPseudonym"/>). The attribute also counts for a property that overrides, hides or implements the one that it is
/// on; the nearest one counts.
/// </remarks>
/// <example><code>
/// [EventType("customer-registered")]
/// public record CustomerRegistered(
///     [property: Tag("customer")] string CustomerId,
///     [property: Personal("customer")] string? Name,
///     [property: Personal("customer", Placeholder = "(forgotten)")] string Email);
/// </code></example>
[AttributeUsage(AttributeTargets.Property)]
public sealed class PersonalAttribute(string subjectKey) : Attribute
{
    /// <summary>The key of the tag that names the person.</summary>
    public string SubjectKey { get; } = subjectKey;

    /// <summary>
    /// The property of the same class whose value names the person: the value of the subject, with <see cref="SubjectKey"/> as its key. A string or
    /// a number. Default: null, the event's tag, or the state's key.
    /// </summary>
    public string? SubjectProperty { get; set; }

    /// <summary>
    /// What the property has once the person is forgotten: a constant of its type. Default: null. Needed where the property is not nullable.
    /// </summary>
    public object? Placeholder { get; set; }
}
