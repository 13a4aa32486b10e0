namespace Opossum;

/// <summary>Makes a tag of each event from a property of its data: key from the attribute, value from the property.</summary>
/// <param name="key">The tag's key: 1 to 1,000 characters without <c>:</c>.</param>
/// <remarks>
/// The property's value is written by its invariant <see cref="IFormattable"/> form or <see cref="object.ToString"/>. Null gives no tag; a
/// collection other than a string gives a tag for each element. <see cref="Tag.From"/> makes the same tag, for queries and conditions.
/// </remarks>
/// <example><code>
/// [EventType("student-enrolled")]
/// public record StudentEnrolled([property: Tag("course")] string CourseId, [property: Tag("student")] string StudentId);
/// </code></example>
[AttributeUsage(AttributeTargets.Property)]
public sealed class TagAttribute(string key) : Attribute
{
    /// <summary>The tag's key.</summary>
    public string Key { get; } = key;
}
