using System.Globalization;
using Opossum.Storage;

namespace Opossum;

/// <summary>The result of a repair, as data for programs and as text through <see cref="ToString"/>.</summary>
/// <param name="Remedy">The repair that ran.</param>
/// <param name="Outcome">What it did.</param>
/// <param name="Head">The last position of the store after the repair, according to its index.</param>
/// <param name="Restored">The positions whose event files were restored or accepted, ascending.</param>
/// <param name="SetAside">The positions whose files were moved or copied into <paramref name="QuarantineFolder"/>, ascending.</param>
/// <param name="QuarantineFolder">The folder that holds what was replaced or cut off; null when nothing was.</param>
/// <param name="Remaining">The positions that the repair met and that are still wrong, ascending; empty when it met none. Only a check
/// lists all.</param>
/// <param name="Problem">Why they are still wrong; null when there are none.</param>
public sealed record StoreRepairReport(
    StoreRemedy Remedy, StoreRepairOutcome Outcome, long Head, IReadOnlyList<long> Restored, IReadOnlyList<long> SetAside, string? QuarantineFolder,
    IReadOnlyList<long> Remaining, string? Problem)
{
    /// <summary>The report as text.</summary>
    public override string ToString()
    {
        var where = SetAside.Count == 0 ? "" : $" Set aside in {QuarantineFolder}: {PositionList.InWords(SetAside)}.";
        return Problem is null ? $"{Done}{where}" : $"{Done}{where} Still wrong: {Problem}";
    }

    private string Done => (Outcome, Remedy) switch
    {
        (StoreRepairOutcome.NothingToDo, StoreRemedy.RestoreFromIndex) =>
            string.Create(CultureInfo.InvariantCulture, $"No event file up to position {Head:N0} is missing or bad."),
        (StoreRepairOutcome.NothingToDo, StoreRemedy.RestoreFromFolder) =>
            "Nothing to restore: the folder holds no valid event file that the store lacks.",
        (StoreRepairOutcome.NothingToDo, _) =>
            "Nothing to accept: the event file is valid (its white space may have been changed), and the index agrees with it.",
        (StoreRepairOutcome.IndexRebuilt, StoreRemedy.AcceptEditedFile) => "The event file is valid; the index was rebuilt to agree with it.",
        (StoreRepairOutcome.IndexRebuilt, _) => string.Create(CultureInfo.InvariantCulture, $"The index was rebuilt from {Head:N0} events."),
        (StoreRepairOutcome.FilesRestored, StoreRemedy.RestoreFromIndex) =>
            $"The event files of {PositionList.InWords(Restored)} were restored from the index, byte for byte.",
        (StoreRepairOutcome.FilesRestored, _) => $"The event files of {PositionList.InWords(Restored)} were restored from the folder.",
        (StoreRepairOutcome.EditAccepted, _) => $"The edited event at {PositionList.InWords(Restored)} was accepted.",
        _ => string.Create(CultureInfo.InvariantCulture, $"The store now ends at position {Head:N0}."),
    };
}
