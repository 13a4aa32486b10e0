using System.Globalization;

namespace Opossum;

/// <summary>The progress of long work on a store: of a check, a repair, a backup, an import, or a build of the index or of a
/// projection.</summary>
public readonly record struct StoreProgress
{
    /// <summary>The kind of work.</summary>
    public required StoreWork Work { get; init; }

    /// <summary>The number of events processed so far; of files in a search.</summary>
    public required long Done { get; init; }

    /// <summary>
    /// The number of events to process, as known now. It may grow while a projection is built, because new events are
    /// appended.
    /// </summary>
    public required long Total { get; init; }

    /// <summary>
    /// The projection's name; null unless <see cref="Work"/> is <see cref="StoreWork.ProjectionRebuild"/>.
    /// </summary>
    public string? Projection { get; init; }

    /// <summary>The progress as one line.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{Doing}: {Done} of {Total} {(Work == StoreWork.PersonalDataSearch ? "files" : "events")}");

    private string Doing => Work switch
    {
        StoreWork.Check => "Checking",
        StoreWork.Repair => "Repairing",
        StoreWork.IndexRebuild => "Building the index",
        StoreWork.Backup => "Backing up",
        StoreWork.Restore => "Restoring",
        StoreWork.Export => "Exporting",
        StoreWork.Import => "Importing",
        StoreWork.PersonalDataSearch => "Searching",
        StoreWork.Seal => "Sealing",
        StoreWork.Unseal => "Unsealing",
        StoreWork.ProjectionRebuild => $"Building the projection {Projection}",
        _ => Work.ToString(),
    };
}
