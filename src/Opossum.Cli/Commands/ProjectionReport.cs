namespace Opossum.Cli.Commands;

/// <summary>A projection in the report of <c>opossum projections list</c>.</summary>
internal sealed record ProjectionReport(string Name, ProjectionStatus? Status, string? Problem)
    : FollowerReport<ProjectionStatus>(Name, Status, Problem)
{
    public int? Version => Status?.Version;

    /// <summary>The position that a rebuild has reached; null when there is none.</summary>
    public long? RebuildPosition => Status?.RebuildPosition;

    /// <summary>The event at which it has stopped; null when it has not.</summary>
    public ProjectionFault? Fault => Status?.Fault;
}
