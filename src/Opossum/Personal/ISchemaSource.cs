using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>
/// A store whose folder has schemas: an interface, because what searches for personal data knows no class that opens
/// stores.
/// </summary>
internal interface ISchemaSource
{
    /// <summary>The schemas of event types, by type and version.</summary>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    IReadOnlyList<EventSchema> ReadSchemas();
}
