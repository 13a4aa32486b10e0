using System.Globalization;
using Opossum.Storage;

namespace Opossum.Maintenance;

/// <summary>The result of a backup or a restore, as data for programs and as text through <see cref="ToString"/>.</summary>
public sealed record BackupReport
{
    /// <summary>The folder that was written.</summary>
    public required string Target { get; init; }

    /// <summary>
    /// The id of the store in it. A dry run of a restore with an id of its own states the one of the backup.
    /// </summary>
    public required Guid StoreId { get; init; }

    /// <summary>The last position in it; an append ends there.</summary>
    public required long Head { get; init; }

    /// <summary>
    /// The number of events after it that were left out: a process appended them without flushing, so that a power cut may take them. They are copied
    /// once a process has flushed them: the one that appended them, in the background, or another that flushes immediately, when it opens the store
    /// for writing. To a user who may not read the store's lock file, the last append is one of them.
    /// </summary>
    public long NotDurable { get; init; }

    /// <summary>The number of events that were copied and were not there before.</summary>
    public required long Copied { get; init; }

    /// <summary>
    /// The number of events whose copy was missing, damaged or of an older content, and was made again.
    /// </summary>
    public required long Mended { get; init; }

    /// <summary>The bytes of the event files that were copied.</summary>
    public long Bytes { get; init; }

    /// <summary>Whether nothing was written: all figures are those that the run would have.</summary>
    public bool IsDryRun { get; init; }

    /// <summary>
    /// After a backup, a snapshot and their dry runs: why the folder that was copied from is no longer the store, and what to do. No older snapshot
    /// is removed then. Null: nothing in it says so.
    /// </summary>
    public string? SourceProblem { get; init; }

    /// <summary>Whether the folder that was copied from has keys of personal data.</summary>
    public bool HasKeys { get; init; }

    /// <summary>
    /// The number of key files that were written, marks of forgotten persons included; null when keys were left out, and in a dry run.
    /// </summary>
    public long? KeysCopied { get; init; }

    /// <summary>
    /// After a restore, and in its dry run: why the keys of the restored store's personal data are missing, and where they go. Null: they are
    /// there, or there is no personal data.
    /// </summary>
    public string? KeysProblem { get; init; }

    /// <summary>
    /// The number of events after the end of a restore up to a time that have that time or an earlier one, as imported events may. They are left
    /// out: a restore is always the beginning of the history.
    /// </summary>
    public long EarlierLeftOut { get; init; }

    /// <summary>The folders of the older snapshots that the rules of a snapshot removed, oldest first.</summary>
    public IReadOnlyList<string> Removed { get; init; } = [];

    /// <summary>
    /// Why older folders of snapshots are still there that the rules would remove, and what is wrong with those that are no whole snapshots any
    /// more, which the rules did not count: sentences that begin with the path.
    /// </summary>
    public IReadOnlyList<string> RemovalProblems { get; init; } = [];

    /// <summary>Whether this user may not read the lock file of the store that was copied.</summary>
    internal bool IsLockDenied { get; init; }

    /// <summary>The append inside which a restore was to end.</summary>
    internal CommitRange? LeftOut { get; init; }

    /// <summary>The report as one line.</summary>
    public override string ToString() => IsDryRun
        ? string.Create(CultureInfo.InvariantCulture,
            $"Dry run, nothing was written. {Target} would hold all events up to position {Head:N0}; {Copied:N0} would be copied"
                + $"{(Mended == 0 ? "" : $", and {Mended:N0} {(Mended == 1 ? "copy" : "copies")} made again")}: {Bytes:N0} bytes."
                + $"{NotDurableInWords(NotDurable, IsLockDenied)}{LeftOutInWords}{EarlierInWords}{(KeysProblem is null ? "" : $" {KeysProblem}")}"
                + $"{RemovedInWords("would be")}{SourceInWords}")
        : string.Create(CultureInfo.InvariantCulture,
            $"{Target} holds all events up to position {Head:N0}; {Copied:N0} {(Copied == 1 ? "was" : "were")} copied and read back now"
                + $"{(Mended == 0 ? "" : $", and {Mended:N0} {(Mended == 1 ? "copy was" : "copies were")} made again")}."
                + $"{NotDurableInWords(NotDurable, IsLockDenied)}{LeftOutInWords}{EarlierInWords}{KeysInWords}{RemovedInWords("was")}"
                + $"{SourceInWords}");

    internal static string NotDurableInWords(long events, bool isLockDenied) => events == 0 ? "" : string.Create(CultureInfo.InvariantCulture,
        $" {events:N0} {(events == 1 ? "event after it is" : "events after it are")} not known to be durable, and "
            + $"{(events == 1 ? "was" : "were")} left out{(isLockDenied ? $": this user may not read {StoreLayout.LockFileName}" : "")}.");

    private string SourceInWords => SourceProblem is null ? "" : $" {SourceProblem}";

    private string LeftOutInWords => LeftOut is { } append
        ? string.Create(CultureInfo.InvariantCulture,
            $" It ends before the append of positions {append.First:N0} to {append.Last:N0}, which is restored as a whole or not at all.")
        : "";

    private string EarlierInWords => EarlierLeftOut == 0 ? "" : string.Create(CultureInfo.InvariantCulture,
        $" {EarlierLeftOut:N0} {(EarlierLeftOut == 1 ? "event" : "events")} after it {(EarlierLeftOut == 1 ? "has" : "have")} no later time than the "
            + $"one asked for: times are not in order, as after an import. They are left out; to choose the end yourself, restore up to a position.");

    private string RemovedInWords(string verb) => Removed.Count switch
    {
        0 => "",
        1 => $" 1 older snapshot {verb} removed: {Removed[0]}.",
        _ => $" {Removed.Count} older snapshots {(verb == "was" ? "were" : verb)} removed: {string.Join(", ", Removed)}.",
    };

    private string KeysInWords => (HasKeys, KeysCopied) switch
    {
        _ when KeysProblem is not null => $" {KeysProblem}",
        (true, null) => " The keys of personal data were left out: without them, it cannot be read after a restore. Back up Keys apart from "
            + "the store, or include them.",
        (true, { } copied) => string.Create(CultureInfo.InvariantCulture,
            $" {copied} key file{(copied == 1 ? "" : "s")} {(copied == 1 ? "was" : "were")} written."),
        (false, not null) => " The store's folder has no keys; keys in another folder are not copied.",
        _ => "",
    };
}
