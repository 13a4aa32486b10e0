using Opossum.Cli.Disks;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum info</c>.</summary>
internal sealed record InfoReport
{
    private const int DaysShown = 14;

    public required string Path { get; init; }

    /// <summary>The store's id; null when its store.json is missing.</summary>
    public required Guid? Id { get; init; }

    /// <summary>The last position, which is also the number of events.</summary>
    public required long Head { get; init; }

    /// <summary>The earliest time of an event; null when there is none.</summary>
    public required DateTimeOffset? First { get; init; }

    /// <summary>The latest time of an event; null when there is none.</summary>
    public required DateTimeOffset? Last { get; init; }

    public required string FileSystem { get; init; }

    public required bool IsNetwork { get; init; }

    /// <summary>The events that are in the journal and may have no event file yet.</summary>
    public required long EventsInJournal { get; init; }

    /// <summary>The folders of older events that are sealed, each in one file.</summary>
    public required long SealedFolders { get; init; }

    /// <summary>How much of the index is looked up in runs, and how much is replayed at an opening.</summary>
    public required IndexStatus Index { get; init; }

    /// <summary>The types with the most events, at most 100.</summary>
    public required IReadOnlyList<EventTypeCount> EventTypes { get; init; }

    public required int EventTypesTotal { get; init; }

    /// <summary>The tag keys with the most events, at most 100.</summary>
    public required IReadOnlyList<TagKeyCount> TagKeys { get; init; }

    public required int TagKeysTotal { get; init; }

    /// <summary>The last days on which events were appended, the latest first.</summary>
    public required IReadOnlyList<DayCount> Days { get; init; }

    /// <summary>The events before those days.</summary>
    public required long Earlier { get; init; }

    /// <summary>
    /// Whether the days, and the first and the last time, were found by samples, because the store is large or on a share: out-of-order
    /// times may have been missed.
    /// </summary>
    public required bool DaysAreSampled { get; init; }

    /// <summary>The sizes of the files; null unless asked for.</summary>
    public required StoreSizes? Sizes { get; init; }

    /// <summary>What the folder says if it is a replica or a former store; else null.</summary>
    public required ReplicaStatus? Replica { get; init; }

    /// <summary>What the disk or share gives the store; null unless asked for.</summary>
    public DiskProbe? Disk { get; init; }

    /// <summary>Reads the report of a store.</summary>
    /// <exception cref="CliException">There is no store at the path.</exception>
    public static InfoReport Read(string store, bool withSizes, bool withDisk, Terminal terminal, CancellationToken cancellationToken)
    {
        using var opened = StorePath.OpenForReadingAsync(store, terminal, cancellationToken).GetAwaiter().GetResult();
        var status = opened.GetStatusAsync(withSizes, cancellationToken).GetAwaiter().GetResult();
        return Of(status, GrowthByDay.Find(opened, status, DaysShown, cancellationToken)) with
        {
            Disk = withDisk ? DiskProbe.Run(status) : null,
        };
    }

    public static InfoReport Of(StoreStatus status, GrowthByDay growth) => new()
    {
        Path = status.Path,
        Id = status.Id,
        Head = status.Head,
        First = growth.First,
        Last = growth.Last,
        FileSystem = status.FileSystem,
        IsNetwork = status.IsNetwork,
        EventsInJournal = status.EventsInJournal,
        SealedFolders = status.SealedFolders,
        Index = status.Index,
        EventTypes = status.EventTypes,
        EventTypesTotal = status.EventTypesTotal,
        TagKeys = status.TagKeys,
        TagKeysTotal = status.TagKeysTotal,
        Days = growth.Days,
        Earlier = growth.Earlier,
        DaysAreSampled = growth.IsSampled,
        Sizes = status.Sizes,
        Replica = status.Replica,
    };
}
