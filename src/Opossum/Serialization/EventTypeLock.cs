using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Maintenance;

/// <summary>
/// The event types of an app as a text that is committed with the code: names, versions, tags, and the members of the JSON with their types. A test
/// compares it with today's classes, so that no change of a class makes stored events unreadable unnoticed.
/// </summary>
/// <remarks>
/// The text is JSON, with a line for each member. The types of members are those of JSON Schema, as System.Text.Json derives them from the class,
/// with the size of numbers other than <c>int</c> and <c>decimal</c>, such as <c>integer int64</c>, and the form of texts, such as
/// <c>string char</c>; <c>any</c> is what a converter of your own writes. docs/changing-events.md shows the test.
/// </remarks>
/// <example><code>
/// var changes = EventTypeLock.Compare(File.ReadAllText("event-types.json"), options.EventTypes);
/// Assert.True(changes.IsUnchanged, changes.ToString());
/// </code></example>
public static class EventTypeLock
{
    /// <summary>Describes the registered event types.</summary>
    /// <param name="types">The event types. This call completes the registrations: a later change is refused.</param>
    /// <returns>JSON that ends with a line break; the types are sorted by name.</returns>
    /// <exception cref="InvalidOperationException">
    /// An upcaster is missing, goes beyond the registered version or belongs to no registered type, or a type's JSON metadata is missing.
    /// </exception>
    public static string Create(EventTypeRegistry types)
    {
        ArgumentNullException.ThrowIfNull(types);
        return EventTypeShapes.Write(EventTypeShapes.Of(types));
    }

    /// <summary>Compares the registered event types with those of an earlier text.</summary>
    /// <param name="text">The text, as <see cref="Create"/> returned it. Its white space and order do not count.</param>
    /// <param name="types">The event types. This call completes the registrations: a later change is refused.</param>
    /// <exception cref="FormatException">The text is not one of <see cref="Create"/>.</exception>
    /// <exception cref="InvalidOperationException">
    /// An upcaster is missing, goes beyond the registered version or belongs to no registered type, or a type's JSON metadata is missing.
    /// </exception>
    public static EventTypeLockReport Compare(string text, EventTypeRegistry types)
    {
        ArgumentNullException.ThrowIfNull(text);
        ArgumentNullException.ThrowIfNull(types);
        SortedDictionary<string, EventTypeShape> before;
        try
        {
            before = EventTypeShapes.Read(text);
        }
        catch (JsonException e)
        {
            throw new FormatException($"The text does not describe event types as EventTypeLock.Create does: {e.Message}", e);
        }
        return new EventTypeLockReport { Changes = EventTypeShapes.Compare(before, EventTypeShapes.Of(types)) };
    }
}
