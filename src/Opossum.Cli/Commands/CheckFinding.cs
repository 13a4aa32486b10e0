using System.Globalization;
using Opossum.Cli.Events;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>A fault that <c>opossum check</c> found.</summary>
/// <param name="Position">The position; null when it is about none.</param>
/// <param name="Message">What is wrong, in words.</param>
/// <param name="Command">The command line that repairs it; null when no command does.</param>
/// <param name="Advice">What to do, in words.</param>
internal sealed record CheckFinding(FindingKind Kind, string Path, long? Position, string Message, Remedy Remedy, string? Command,
    string Advice)
{
    public static CheckFinding Of(StoreFinding finding, string store) => new(finding.Kind, finding.Path, finding.Position, finding.Message,
        finding.Remedy, CommandOf(finding, Quote(store)), AdviceOf(finding.Remedy));

    private static string? CommandOf(StoreFinding finding, string store) => finding.Remedy switch
    {
        Remedy.OpenStore => $"opossum repair open {store}",
        Remedy.RebuildIndex => $"opossum repair index {store}",
        Remedy.RestoreFromIndex => $"opossum repair from-index {store}",
        Remedy.AcceptEditedFile when finding is { Kind: FindingKind.BadEventFile, Position: { } position } =>
            string.Create(CultureInfo.InvariantCulture, $"opossum repair accept-edit {store} {position}"),
        Remedy.FinishRedaction => $"opossum repair redact {store} --finish",
        Remedy.RestoreFromFolder => $"opossum repair from-folder {store} FOLDER",
        Remedy.Seal => $"opossum seal {store}",
        Remedy.FollowAgain => $"opossum follow STORE {store} --once",
        Remedy.Unseal when EventFile.PositionsOfSealed(finding.Path) is var (first, last) =>
            string.Create(CultureInfo.InvariantCulture, $"opossum unseal {store} --after {first - 1} --up-to {last}"),
        _ => null,
    };

    private static string AdviceOf(Remedy remedy) => remedy switch
    {
        Remedy.OpenStore => "open the store as usual: opening repairs this",
        Remedy.RebuildIndex => "rebuild the index from the event files",
        Remedy.RestoreFromIndex => "restore the event files from their copies in the index",
        Remedy.AcceptEditedFile => "accept the edit, if it was meant; otherwise restore the file from a backup",
        Remedy.RestoreFromFolder => "restore the event files from Quarantine or a backup",
        Remedy.FinishRedaction => "finish the redaction that was interrupted",
        Remedy.Seal => "seal again, and keep as many folders as before: this continues where it stopped",
        Remedy.Unseal => "unseal the folder, which makes its event files again; then it can be sealed again",
        Remedy.ForgetAgain => "forget the person that the file names again: this finishes it",
        Remedy.RestoreKeys => "put the keys back from their volume or a backup of the keys; if the app keeps them elsewhere, check with --keys",
        Remedy.RebuildProof => "delete the folder tile in Proof: it is built again; first verify the events with a checkpoint that is kept "
            + "elsewhere",
        Remedy.VerifyProof => "verify the events with a checkpoint that is kept elsewhere; delete nothing in Proof before",
        Remedy.MakeReadable => "give this user the right to read it, or end the program that holds it",
        Remedy.FollowAgain => "follow the store again: this completes the replica",
        Remedy.MoveAway => "look at it, and move it away",
        _ => throw new ArgumentOutOfRangeException(nameof(remedy), remedy, "There is no such remedy."),
    };

    private static string Quote(string path) => path.Contains(' ', StringComparison.Ordinal) ? $"\"{path}\"" : path;
}
