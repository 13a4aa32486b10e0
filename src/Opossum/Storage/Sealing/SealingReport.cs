using System.Globalization;

namespace Opossum.Maintenance;

/// <summary>The result of sealing or unsealing folders, as data for programs and as text through <see cref="ToString"/>.</summary>
public sealed record SealingReport
{
    /// <summary>The number of folders that the run sealed or unsealed.</summary>
    public required long Folders { get; init; }

    /// <summary>The number of events in them.</summary>
    public required long Events { get; init; }

    /// <summary>
    /// The bytes of the files that were written for them: of the sealed files, or of the event files.
    /// </summary>
    public required long Bytes { get; init; }

    /// <summary>The number of sealed folders that the store has now.</summary>
    public long SealedFolders { get; init; }

    /// <summary>
    /// The number of folders that an interrupted run had left with event files beside their sealed file: the run has removed these event files.
    /// </summary>
    public long FinishedFolders { get; init; }

    /// <summary>The report as one line.</summary>
    public override string ToString()
    {
        var done = Folders == 0
            ? "no folder."
            : string.Create(CultureInfo.InvariantCulture,
                $"{Folders} {(Folders == 1 ? "folder" : "folders")} with {Events:N0} events: {Bytes:N0} bytes were written.");
        var finished = FinishedFolders == 0 ? ""
            : string.Create(CultureInfo.InvariantCulture,
                $" {FinishedFolders} {(FinishedFolders == 1 ? "folder of an interrupted run was" : "folders of an interrupted run were")} finished.");
        return string.Create(CultureInfo.InvariantCulture,
            $"{done}{finished} {SealedFolders} {(SealedFolders == 1 ? "folder is" : "folders are")} sealed now.");
    }
}
