using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum types</c>.</summary>
/// <param name="Types">The versions of event types of which the store has a schema.</param>
internal sealed record SchemasReport(IReadOnlyList<EventTypeSchema> Types);
