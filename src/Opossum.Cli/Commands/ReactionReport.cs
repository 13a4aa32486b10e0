namespace Opossum.Cli.Commands;

/// <summary>A reaction in the report of <c>opossum reactions list</c>.</summary>
internal sealed record ReactionReport : FollowerReport
{
    /// <summary>How many ranges of events up to the position are not handled yet.</summary>
    public int? Open { get; init; }

    /// <summary>How many events have failed and are retried.</summary>
    public int? Failing { get; init; }

    /// <summary>The positions of the parked events.</summary>
    public IReadOnlyList<long> Parked { get; init; } = [];

    /// <summary>Why it handles nothing until somebody says from where; null when it does.</summary>
    public string? Halt { get; init; }

    public static ReactionReport Of(ReactionStatus status) => new()
    {
        Name = status.Name,
        Position = status.Position,
        Head = status.Head,
        Open = status.Open,
        Failing = status.Failing,
        Parked = status.Parked,
        Skipped = status.Skipped,
        OpenRequests = status.OpenRequests,
        Halt = status.Halt,
    };
}
