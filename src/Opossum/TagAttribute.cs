namespace Opossum;

/// <summary>Adds a tag to each event from a property of its data: the attribute gives the key, the property gives the value.</summary>
/// <param name="key">The tag's key: 1 to 1,000 characters without <c>:</c>.</param>
/// <remarks>
/// The value is written in its invariant <see cref="IFormattable"/> form or with its own <see cref="object.ToString"/>. Null adds no tag; a
/// collection other than a string adds a tag for each element. <see cref="Tag.From"/> creates the same tag, for queries and conditions. Tags are
/// compared as texts: equal values with two texts, such as <c>12.5m</c> and <c>12.50m</c>, or one moment with two offsets, are two tags. The
/// attribute also counts for a property that overrides, hides or implements the one that it is on; the nearest one counts.
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

    /// <summary>Whether the tag is a pseudonym, as by <see cref="Tag.Pseudonym"/>: its value is stored as a keyed hash. Default: false.</summary>
    public bool IsPseudonym { get; set; }
}
