using System.Globalization;

namespace Opossum.Maintenance;

/// <summary>How far a replica is, as data for programs and as text through <see cref="ToString"/>.</summary>
public sealed record ReplicaReport
{
    /// <summary>The folder that follows.</summary>
    public required string Replica { get; init; }

    /// <summary>The folder of the store.</summary>
    public required string Source { get; init; }

    /// <summary>The id of the store.</summary>
    public required Guid StoreId { get; init; }

    /// <summary>The term of the store: 1, and one more with each promotion.</summary>
    public required int Term { get; init; }

    /// <summary>The last position of the replica; an append ends there.</summary>
    public required long Head { get; init; }

    /// <summary>The last position of the store that was durable when it was last seen.</summary>
    public required long SourceHead { get; init; }

    /// <summary>The number of events of the store that were not known to be durable then: see <see cref="BackupReport.NotDurable"/>.</summary>
    public long NotDurable { get; init; }

    /// <summary>The number of events that were copied by this step.</summary>
    public required long Copied { get; init; }

    /// <summary>
    /// The number of events whose copy was missing and was made again; also damaged ones and those of an older content after a repair or a
    /// redaction in the store, when every event is compared. At other times only a check finds a damaged copy.
    /// </summary>
    public required long Mended { get; init; }

    /// <summary>When the store was last seen.</summary>
    public required DateTimeOffset At { get; init; }

    /// <summary>
    /// Why the replica does not follow at the moment, or which keys it does not copy; it continues once that is over. Null: it follows.
    /// </summary>
    public string? Problem { get; init; }

    /// <inheritdoc cref="BackupReport.IsLockDenied"/>
    internal bool IsLockDenied { get; init; }

    /// <summary>The report as one line.</summary>
    public override string ToString() => Problem is null
        ? string.Create(CultureInfo.InvariantCulture,
            $"{Replica} follows {Source} up to position {Head:N0}; {Copied:N0} {(Copied == 1 ? "event was" : "events were")} copied now"
                + $"{(Mended == 0 ? "" : $", and {Mended:N0} {(Mended == 1 ? "copy was" : "copies were")} made again")}."
                + $"{BackupReport.NotDurableInWords(NotDurable, IsLockDenied)}")
        : string.Create(CultureInfo.InvariantCulture, $"{Replica} stands at position {Head:N0}: {Problem}");
}
