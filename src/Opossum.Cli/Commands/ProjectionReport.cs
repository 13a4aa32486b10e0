namespace Opossum.Cli.Commands;

/// <summary>A projection in the report of <c>opossum projections list</c>.</summary>
internal sealed record ProjectionReport : FollowerReport
{
    /// <summary>The version of its states.</summary>
    public int? Version { get; init; }

    /// <summary>The position that a rebuild has reached; null when there is none.</summary>
    public long? RebuildPosition { get; init; }

    /// <summary>The event at which it has stopped; null when it has not.</summary>
    public ProjectionFault? Fault { get; init; }

    public static ProjectionReport Of(ProjectionStatus status) => new()
    {
        Name = status.Name,
        Version = status.Version,
        Position = status.Position,
        Head = status.Head,
        RebuildPosition = status.RebuildPosition,
        Fault = status.Fault,
        Skipped = status.Skipped,
        OpenRequests = status.OpenRequests,
    };
}
