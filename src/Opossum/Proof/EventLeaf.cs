using Opossum.Serialization;

namespace Opossum.Proof;

/// <summary>The leaf of an event in the tree.</summary>
/// <param name="Redaction">
/// What the event says of its redactions: then the hash is that of its text before them. Null when it was not redacted.
/// </param>
internal readonly record struct EventLeaf(TreeHash Hash, RedactionRecord? Redaction);
