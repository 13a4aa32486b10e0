using System.Globalization;
using Opossum.Maintenance;

namespace Opossum;

/// <summary>The status of a store at one moment: its identity, contents and health.</summary>
public sealed record StoreStatus
{
    /// <summary>
    /// The store's id, created with the store; null if <c>store.json</c> and the index are missing, which is possible only for a store that is
    /// open for reading only.
    /// </summary>
    public required Guid? Id { get; init; }

    /// <summary>The store's folder.</summary>
    public required string Path { get; init; }

    /// <summary>The position of the last event, which is also the number of events.</summary>
    public required long Head { get; init; }

    /// <summary>The event types with the most events, at most 100, the most frequent first; see <see cref="EventTypesTotal"/>.</summary>
    public required IReadOnlyList<EventTypeCount> EventTypes { get; init; }

    /// <summary>The number of event types.</summary>
    public required int EventTypesTotal { get; init; }

    /// <summary>The tag keys with the most events, at most 100, the most frequent first; see <see cref="TagKeysTotal"/>.</summary>
    public required IReadOnlyList<TagKeyCount> TagKeys { get; init; }

    /// <summary>The number of tag keys.</summary>
    public required int TagKeysTotal { get; init; }

    /// <summary>The sizes of the files; null unless requested.</summary>
    public StoreSizes? Sizes { get; init; }

    /// <summary>
    /// The reason why the store accepts no appends until it is opened again; null if it accepts appends or is open for reading only.
    /// </summary>
    public string? Fault { get; init; }

    /// <summary>Whether the store accepts no appends until it is opened again.</summary>
    public bool IsFaulted => Fault is not null;

    /// <summary>
    /// Why the keys in the folder of keys cannot be those of the store's personal data, and what to do; null if nothing is known against them. Until
    /// then personal data reads as lost, and appends of personal data fail. All else continues.
    /// </summary>
    public string? KeysProblem { get; init; }

    /// <summary>
    /// Why the files of tag rules (<see cref="TagRule"/>) are not the rules by which events are found, as after a change by hand, or that the
    /// member of a rule is personal data by the registered types; and what to do. Null: neither.
    /// </summary>
    public string? TagRulesProblem { get; init; }

    /// <summary>Whether the store was opened with <see cref="OpossumOptions.ReadOnly"/>.</summary>
    public required bool IsReadOnly { get; init; }

    /// <summary>The file system under the store, such as <c>ext4</c>, <c>NTFS</c> or <c>nfs4</c>; <c>memory</c> for a store in memory.</summary>
    public required string FileSystem { get; init; }

    /// <summary>Whether other machines may use the files at the same time: the file system is a network share or a cluster file system.</summary>
    public required bool IsNetwork { get; init; }

    /// <summary>
    /// The number of events that are stored as lines and may have no event file yet, whichever process appended them; 0 in most stores: see
    /// <see cref="OpossumOptions.UseJournal"/>.
    /// </summary>
    public long EventsInJournal { get; init; }

    /// <summary>The number of folders of older events that are sealed, each in one file; 0 in most stores: see <see cref="StoreSealing"/>.</summary>
    public long SealedFolders { get; init; }

    /// <summary>
    /// What a folder that is open for reading only says if it is a replica of a store, or was one in whose place another was promoted; null: neither.
    /// </summary>
    public ReplicaStatus? Replica { get; init; }

    /// <summary>How much of the index is looked up, and how much is replayed at an opening.</summary>
    public IndexStatus Index { get; init; }

    /// <summary>How appends are made durable on this file system.</summary>
    public required FlushMethod Flush { get; init; }

    /// <summary><see cref="Flush"/> in words.</summary>
    public string FlushInWords => Flush switch
    {
        FlushMethod.Background => "events are flushed about a second after they were appended; a power cut may lose the last ones",
        FlushMethod.Journal => "events are flushed in the journal, and their files follow within a second",
        FlushMethod.LastFile => "the files of several appends are sent to the device, and one flush makes them all durable",
        FlushMethod.WholeFileSystem => "several appends are made durable by one flush of the whole file system",
        FlushMethod.EachFile => "each event's file is flushed",
        FlushMethod.EachFileAndFolder => "each event's file is flushed, and its folder",
        _ => "nothing is flushed",
    };

    /// <summary>What the app's classes cannot read of what other versions of the app write, a sentence each; for the health check.</summary>
    internal IReadOnlyList<string> SchemaFindings { get; init; } = [];

    /// <summary>The status of the proof, which the contract does not know.</summary>
    internal object? ProofStatus { get; init; }

    /// <summary>The status as one line.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Path}: position {Head}, {EventTypesTotal} event {(EventTypesTotal == 1 ? "type" : "types")}, "
            + $"{TagKeysTotal} tag {(TagKeysTotal == 1 ? "key" : "keys")}, "
            + $"{(EventsInJournal == 0 ? "" : $"{EventsInJournal} {(EventsInJournal == 1 ? "event" : "events")} in the journal, ")}"
            + $"{(SealedFolders == 0 ? "" : $"{SealedFolders} sealed {(SealedFolders == 1 ? "folder" : "folders")}, ")}on "
            + $"{FileSystem}{(IsNetwork ? ", a network file system" : "")}{(IsReadOnly ? ", open for reading only" : "")}"
            + $"{(Fault is null ? "" : $". It accepts no appends until it is opened again: {Fault}")}"
            + $"{(KeysProblem is null ? "" : $". {KeysProblem}")}{(TagRulesProblem is null ? "" : $". {TagRulesProblem}")}");
}
