namespace Opossum.Cli.Commands;

/// <summary>A projection in the report of <c>opossum projections list</c>.</summary>
internal sealed record ProjectionReport
{
    public required string Name { get; init; }

    /// <summary>The version of its states; null when they cannot be read, as are all other members then.</summary>
    public int? Version { get; init; }

    /// <summary>The position up to which events are applied.</summary>
    public long? Position { get; init; }

    /// <summary>The store's last position.</summary>
    public long? Head { get; init; }

    /// <summary>The number of events that are not applied yet.</summary>
    public long? Lag { get; init; }

    /// <summary>The position that a rebuild has reached; null when there is none.</summary>
    public long? RebuildPosition { get; init; }

    /// <summary>The event at which it has stopped; null when it has not.</summary>
    public ProjectionFault? Fault { get; init; }

    /// <summary>The positions that it skips.</summary>
    public IReadOnlyList<long> Skipped { get; init; } = [];

    /// <summary>The requests that no process has carried out yet.</summary>
    public int OpenRequests { get; init; }

    /// <summary>Why it cannot be read; null when it can.</summary>
    public string? Problem { get; init; }

    public static ProjectionReport Of(StoredProjection stored) => new()
    {
        Name = stored.Name,
        Version = stored.Version,
        Position = stored.Position,
        Head = stored.Head,
        Lag = stored.Head - stored.Position,
        RebuildPosition = stored.RebuildPosition,
        Fault = stored.Fault,
        Skipped = stored.Skipped,
        OpenRequests = stored.OpenRequests,
    };
}
