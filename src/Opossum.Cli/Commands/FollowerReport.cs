namespace Opossum.Cli.Commands;

/// <summary>A projection or a reaction in the report of its list.</summary>
internal abstract record FollowerReport
{
    public required string Name { get; init; }

    /// <summary>The position up to which it is; null when it cannot be read, as are all other members then.</summary>
    public long? Position { get; init; }

    /// <summary>The store's last position.</summary>
    public long? Head { get; init; }

    /// <summary>The number of events after its position.</summary>
    public long? Lag => Head - Position;

    /// <summary>The positions that it skips.</summary>
    public IReadOnlyList<long> Skipped { get; init; } = [];

    /// <summary>The requests that no process has carried out yet.</summary>
    public int OpenRequests { get; init; }

    /// <summary>Why it cannot be read; null when it can.</summary>
    public string? Problem { get; init; }
}
