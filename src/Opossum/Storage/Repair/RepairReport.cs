using System.Globalization;
using Opossum.Storage.Ledger;

namespace Opossum.Maintenance;

/// <summary>The result of a repair, as data for programs and as text through <see cref="ToString"/>.</summary>
public sealed record RepairReport
{
    /// <summary>The repair that ran.</summary>
    public required Remedy Remedy { get; init; }

    /// <summary>What it did.</summary>
    public required RepairOutcome Outcome { get; init; }

    /// <summary>The last position of the store after the repair, according to its index.</summary>
    public required long Head { get; init; }

    /// <summary>The positions whose event files were restored or accepted, ascending.</summary>
    public required IReadOnlyList<long> Restored { get; init; }

    /// <summary>
    /// The positions whose files were moved or copied into <see cref="QuarantineFolder"/>, ascending.
    /// </summary>
    public required IReadOnlyList<long> SetAside { get; init; }

    /// <summary>The folder that holds what was replaced or cut off; null when nothing was.</summary>
    public required string? QuarantineFolder { get; init; }

    /// <summary>
    /// The positions that the repair met and that are still wrong, ascending; empty when it met none. Only a check
    /// lists all.
    /// </summary>
    public required IReadOnlyList<long> Remaining { get; init; }

    /// <summary>Why they are still wrong; null when there are none.</summary>
    public required string? Problem { get; init; }

    /// <summary>The report as text.</summary>
    public override string ToString()
    {
        var where = SetAside.Count == 0 ? "" : $" Set aside in {QuarantineFolder}: {PositionList.InWords(SetAside)}.";
        return Problem is null ? $"{Done}{where}" : $"{Done}{where} Still wrong: {Problem}";
    }

    private string Done => (Outcome, Remedy) switch
    {
        (RepairOutcome.NothingToDo, Remedy.RestoreFromIndex) =>
            string.Create(CultureInfo.InvariantCulture, $"No event file up to position {Head:N0} is missing or bad."),
        (RepairOutcome.NothingToDo, Remedy.RestoreFromFolder) =>
            "Nothing to restore: the folder holds no valid event file that the store lacks.",
        (RepairOutcome.NothingToDo, Remedy.Truncate) =>
            string.Create(CultureInfo.InvariantCulture, $"The store ends at position {Head:N0} already."),
        (RepairOutcome.NothingToDo, _) when Problem is not null => "Nothing to accept: the event file is valid.",
        (RepairOutcome.NothingToDo, _) =>
            "Nothing to accept: the event file is valid (its white space may have been changed), and the index agrees with it.",
        (RepairOutcome.IndexRebuilt, Remedy.AcceptEditedFile) => "The event file is valid; the index was rebuilt to agree with it.",
        (RepairOutcome.IndexRebuilt, _) => string.Create(CultureInfo.InvariantCulture,
            $"The index was rebuilt from {Head:N0} {(Head == 1 ? "event" : "events")}."),
        (RepairOutcome.FilesRestored, Remedy.RestoreFromIndex) =>
            $"The event files of {PositionList.InWords(Restored)} were restored from the index, byte for byte.",
        (RepairOutcome.FilesRestored, _) => $"The event files of {PositionList.InWords(Restored)} were restored from the folder.",
        (RepairOutcome.EditAccepted, _) => $"The edited event at {PositionList.InWords(Restored)} was accepted.",
        _ => string.Create(CultureInfo.InvariantCulture, $"The store now ends at position {Head:N0}."),
    };
}
