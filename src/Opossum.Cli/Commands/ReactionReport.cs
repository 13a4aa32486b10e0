namespace Opossum.Cli.Commands;

/// <summary>A reaction in the report of <c>opossum reactions list</c>.</summary>
internal sealed record ReactionReport
{
    public required string Name { get; init; }

    /// <summary>The position up to which events were looked at; null when it cannot be read, as are all other members then.</summary>
    public long? Position { get; init; }

    /// <summary>The store's last position.</summary>
    public long? Head { get; init; }

    /// <summary>The number of events that were not looked at yet.</summary>
    public long? Lag { get; init; }

    /// <summary>How many ranges of events up to the position are not handled yet.</summary>
    public int? Open { get; init; }

    /// <summary>How many events have failed and are retried.</summary>
    public int? Failing { get; init; }

    /// <summary>The positions of the parked events.</summary>
    public IReadOnlyList<long> Parked { get; init; } = [];

    /// <summary>The positions of the skipped events.</summary>
    public IReadOnlyList<long> Skipped { get; init; } = [];

    /// <summary>The requests that no process has carried out yet.</summary>
    public int OpenRequests { get; init; }

    /// <summary>Why it handles nothing until somebody says from where; null when it does.</summary>
    public string? Halt { get; init; }

    /// <summary>Why it cannot be read; null when it can.</summary>
    public string? Problem { get; init; }

    public static ReactionReport Of(StoredReaction stored) => new()
    {
        Name = stored.Name,
        Position = stored.Position,
        Head = stored.Head,
        Lag = stored.Head - stored.Position,
        Open = stored.Open,
        Failing = stored.Failing,
        Parked = stored.Parked,
        Skipped = stored.Skipped,
        OpenRequests = stored.OpenRequests,
        Halt = stored.Halt,
    };
}
