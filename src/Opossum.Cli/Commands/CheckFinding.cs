using System.Globalization;
using Opossum.Cli.Events;

namespace Opossum.Cli.Commands;

/// <summary>A fault that <c>opossum check</c> found.</summary>
/// <param name="Kind">What is wrong.</param>
/// <param name="Path">The file or folder.</param>
/// <param name="Position">The position; null when it is about none.</param>
/// <param name="Message">What is wrong, in words.</param>
/// <param name="Remedy">What repairs it.</param>
/// <param name="Command">The command line that repairs it; null when no command does.</param>
/// <param name="Advice">What to do, in words.</param>
internal sealed record CheckFinding(StoreFindingKind Kind, string Path, long? Position, string Message, StoreRemedy Remedy, string? Command,
    string Advice)
{
    public static CheckFinding Of(StoreFinding finding, string store) => new(finding.Kind, finding.Path, finding.Position, finding.Message,
        finding.Remedy, CommandOf(finding, Quote(store)), AdviceOf(finding.Remedy));

    private static string? CommandOf(StoreFinding finding, string store) => finding.Remedy switch
    {
        StoreRemedy.OpenStore => $"opossum repair open {store}",
        StoreRemedy.RebuildIndex => $"opossum repair index {store}",
        StoreRemedy.RestoreFromIndex => $"opossum repair from-index {store}",
        StoreRemedy.AcceptEditedFile when finding is { Kind: StoreFindingKind.BadEventFile, Position: { } position } =>
            string.Create(CultureInfo.InvariantCulture, $"opossum repair accept-edit {store} {position}"),
        StoreRemedy.FinishRedaction => $"opossum repair redact {store} --finish",
        StoreRemedy.RestoreFromFolder => $"opossum repair from-folder {store} FOLDER",
        StoreRemedy.Seal => $"opossum seal {store}",
        StoreRemedy.Unseal when EventFile.PositionsOfSealed(finding.Path) is var (first, last) =>
            string.Create(CultureInfo.InvariantCulture, $"opossum unseal {store} --after {first - 1} --up-to {last}"),
        _ => null,
    };

    private static string AdviceOf(StoreRemedy remedy) => remedy switch
    {
        StoreRemedy.OpenStore => "open the store as usual: opening repairs this",
        StoreRemedy.RebuildIndex => "rebuild the index from the event files",
        StoreRemedy.RestoreFromIndex => "restore the event files from their copies in the index",
        StoreRemedy.AcceptEditedFile => "accept the edit, if it was meant; otherwise restore the file from a backup",
        StoreRemedy.RestoreFromFolder => "restore the event files from Quarantine or a backup",
        StoreRemedy.Truncate => "cut off the events after the last whole one",
        StoreRemedy.FinishRedaction => "finish the redaction that was interrupted",
        StoreRemedy.Seal => "seal again, and keep as many folders as before: this goes on where it stopped",
        StoreRemedy.Unseal => "unseal the folder, which makes its event files again; then it can be sealed again",
        StoreRemedy.ForgetAgain => "forget the person that the file names again: this finishes it",
        StoreRemedy.RestoreKeys => "put the keys back from their volume or a backup of the keys; if the app keeps them elsewhere, check with --keys",
        StoreRemedy.RebuildProof => "delete the folder tile in Proof: it is built again; first verify the events with a checkpoint that is kept "
            + "elsewhere",
        StoreRemedy.VerifyProof => "verify the events with a checkpoint that is kept elsewhere; delete nothing in Proof before",
        StoreRemedy.MakeReadable => "give this user the right to read it, or end the program that holds it",
        StoreRemedy.MoveAway => "look at it, and move it away",
        _ => throw new ArgumentOutOfRangeException(nameof(remedy), remedy, "There is no such remedy."),
    };

    private static string Quote(string path) => path.Contains(' ', StringComparison.Ordinal) ? $"\"{path}\"" : path;
}
