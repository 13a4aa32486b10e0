using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum types</c>.</summary>
internal sealed record SchemasReport(IReadOnlyList<EventTypeSchema> Types);
