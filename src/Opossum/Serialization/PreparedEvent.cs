namespace Opossum.Serialization;

/// <summary>A new event, checked and serialized: all of an event file that does not depend on its position.</summary>
/// <param name="Type">The type's stable name.</param>
/// <param name="Version">The version of the JSON's shape, from 1.</param>
/// <param name="Tags">The tags, each once, in the order given, those declared on the type last.</param>
/// <param name="Id">The event's id.</param>
/// <param name="Json">The data as compact JSON: no white space outside strings, only what JSON demands escaped.</param>
/// <param name="Metadata">The metadata as a compact JSON object whose values are strings; empty when there is none.</param>
internal sealed record PreparedEvent(string Type, int Version, Tag[] Tags, Guid Id, byte[] Json, byte[] Metadata)
{
    /// <summary>How many bytes of JSON it has.</summary>
    public long Bytes => (long)Json.Length + Metadata.Length;
}
