namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum projections list</c>.</summary>
internal sealed record ProjectionsReport(IReadOnlyList<ProjectionReport> Projections);
