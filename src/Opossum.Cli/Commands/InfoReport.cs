using System.Text.Json.Serialization;
using Opossum.Cli.Disks;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum info</c>.</summary>
internal sealed record InfoReport([property: JsonIgnore] StoreStatus Status, [property: JsonIgnore] GrowthByDay Growth)
{
    private const int DaysShown = 14;

    public string Path => Status.Path;

    /// <summary>The store's id; null when its store.json is missing.</summary>
    public Guid? Id => Status.Id;

    /// <summary>The last position, which is also the number of events.</summary>
    public long Head => Status.Head;

    /// <summary>The earliest time of an event; null when there is none.</summary>
    public DateTimeOffset? First => Growth.First;

    /// <summary>The latest time of an event; null when there is none.</summary>
    public DateTimeOffset? Last => Growth.Last;

    public string FileSystem => Status.FileSystem;

    public bool IsNetwork => Status.IsNetwork;

    /// <summary>The events that are in the journal and may have no event file yet.</summary>
    public long EventsInJournal => Status.EventsInJournal;

    /// <summary>The folders of older events that are sealed, each in one file.</summary>
    public long SealedFolders => Status.SealedFolders;

    /// <summary>How much of the index is looked up in runs, and how much is replayed at an opening.</summary>
    public IndexStatus Index => Status.Index;

    /// <summary>The types with the most events, at most 100.</summary>
    public IReadOnlyList<EventTypeCount> EventTypes => Status.EventTypes;

    public int EventTypesTotal => Status.EventTypesTotal;

    /// <summary>The tag keys with the most events, at most 100.</summary>
    public IReadOnlyList<TagKeyCount> TagKeys => Status.TagKeys;

    public int TagKeysTotal => Status.TagKeysTotal;

    /// <summary>The last days on which events were appended, the latest first.</summary>
    public IReadOnlyList<DayCount> Days => Growth.Days;

    /// <summary>The events before those days.</summary>
    public long Earlier => Growth.Earlier;

    /// <summary>
    /// Whether the days, and the first and the last time, were found by samples, because the store is large or on a share: out-of-order
    /// times may have been missed.
    /// </summary>
    public bool DaysAreSampled => Growth.IsSampled;

    /// <summary>The sizes of the files; null unless asked for.</summary>
    public StoreSizes? Sizes => Status.Sizes;

    /// <summary>What the folder says if it is a replica or a former store; else null.</summary>
    public ReplicaStatus? Replica => Status.Replica;

    /// <summary>What the disk or share gives the store; null unless asked for.</summary>
    public DiskProbe? Disk { get; init; }

    /// <summary>Reads the report of a store.</summary>
    /// <exception cref="CliException">There is no store at the path.</exception>
    public static InfoReport Read(string store, bool withSizes, bool withDisk, Terminal terminal, CancellationToken cancellationToken)
    {
        using var opened = StorePath.OpenForReadingAsync(store, terminal, cancellationToken).GetAwaiter().GetResult();
        var status = opened.GetStatusAsync(withSizes, cancellationToken).GetAwaiter().GetResult();
        return new InfoReport(status, GrowthByDay.Find(opened, status, DaysShown, cancellationToken))
        {
            Disk = withDisk ? DiskProbe.Run(status) : null,
        };
    }
}
