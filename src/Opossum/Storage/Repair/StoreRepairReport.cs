using System.Globalization;
using Opossum.Storage;

namespace Opossum;

/// <summary>What a repair did: facts for programs, and by <see cref="ToString"/> the same in words.</summary>
/// <param name="Remedy">Which repair it was.</param>
/// <param name="Outcome">What it did.</param>
/// <param name="Head">The last position of the store, as its index has it now.</param>
/// <param name="Restored">The positions whose event files were made again, put back or accepted, ascending.</param>
/// <param name="SetAside">The positions of the files that were put into <paramref name="QuarantineFolder"/>, ascending.</param>
/// <param name="QuarantineFolder">Where what was replaced or cut off lies; null: nothing was.</param>
/// <param name="Remaining">The positions that it met and that are still wrong, ascending; empty: it met none. A check names all.</param>
/// <param name="Problem">Why they are still wrong, in words; null if there are none.</param>
public sealed record StoreRepairReport(
    StoreRemedy Remedy, StoreRepairOutcome Outcome, long Head, IReadOnlyList<long> Restored, IReadOnlyList<long> SetAside, string? QuarantineFolder, IReadOnlyList<long> Remaining, string? Problem)
{
    /// <summary>The report as text.</summary>
    public override string ToString()
    {
        var where = SetAside.Count == 0 ? "" : $" In {QuarantineFolder} lies what was set aside: positions {PositionList.InWords(SetAside)}.";
        return Problem is null ? $"{Done}{where}" : $"{Done}{where} Still wrong: {Problem}";
    }

    private string Done => (Outcome, Remedy) switch
    {
        (StoreRepairOutcome.NothingToDo, StoreRemedy.RestoreFromIndex) => string.Create(CultureInfo.InvariantCulture, $"No event file up to position {Head} is missing or bad."),
        (StoreRepairOutcome.NothingToDo, StoreRemedy.RestoreFromFolder) => "Nothing was to be put back: the folder holds no valid event file that is not there already.",
        (StoreRepairOutcome.NothingToDo, _) => "Nothing was to be accepted: the event file is valid (white space may have been changed in it), and the index agrees with it.",
        (StoreRepairOutcome.IndexRebuilt, StoreRemedy.AcceptEditedFile) => "The event file is valid; the index was made to agree with it.",
        (StoreRepairOutcome.IndexRebuilt, _) => string.Create(CultureInfo.InvariantCulture, $"The index was built again from {Head} events."),
        (StoreRepairOutcome.FilesRestored, StoreRemedy.RestoreFromIndex) => $"The event files of positions {PositionList.InWords(Restored)} were made again from the index, byte for byte.",
        (StoreRepairOutcome.FilesRestored, _) => $"The event files of positions {PositionList.InWords(Restored)} were put back from the folder.",
        (StoreRepairOutcome.EditAccepted, _) => $"The edited event at position {PositionList.InWords(Restored)} was accepted.",
        _ => string.Create(CultureInfo.InvariantCulture, $"The store ends with position {Head} now."),
    };
}
