namespace Opossum.Cli.Commands;

/// <summary>A reaction in the report of <c>opossum reactions list</c>.</summary>
internal sealed record ReactionReport(string Name, ReactionStatus? Status, string? Problem)
    : FollowerReport<ReactionStatus>(Name, Status, Problem)
{
    /// <summary>How many ranges of events up to the position are not handled yet.</summary>
    public int? Open => Status?.Open;

    /// <summary>How many events have failed and are retried.</summary>
    public int? Failing => Status?.Failing;

    public IReadOnlyList<long> Parked => Status?.Parked ?? [];

    /// <summary>Why it handles nothing until somebody says from where; null when it does.</summary>
    public string? Halt => Status?.Halt;
}
