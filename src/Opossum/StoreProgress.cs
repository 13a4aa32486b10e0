using System.Globalization;

namespace Opossum;

/// <summary>The progress of long work on a store: of a check, a repair, a backup, an import, or a build of the index or of a
/// projection.</summary>
public readonly record struct StoreProgress
{
    /// <summary>The kind of work.</summary>
    public required StoreOperation Operation { get; init; }

    /// <summary>The number of events processed so far; of files in a search.</summary>
    public required long Done { get; init; }

    /// <summary>
    /// The number of events to process, as known now. It may grow while a projection is built, because new events are
    /// appended.
    /// </summary>
    public required long Total { get; init; }

    /// <summary>
    /// The projection's name; null unless <see cref="Operation"/> is <see cref="StoreOperation.ProjectionRebuild"/>.
    /// </summary>
    public string? Projection { get; init; }

    /// <summary>The progress as one line.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{Doing}: {Done} of {Total} {(Operation == StoreOperation.PersonalDataSearch ? "files" : "events")}");

    private string Doing => Operation switch
    {
        StoreOperation.Check => "Checking",
        StoreOperation.Repair => "Repairing",
        StoreOperation.IndexRebuild => "Building the index",
        StoreOperation.Backup => "Backing up",
        StoreOperation.Restore => "Restoring",
        StoreOperation.Export => "Exporting",
        StoreOperation.Import => "Importing",
        StoreOperation.PersonalDataSearch => "Searching",
        StoreOperation.Seal => "Sealing",
        StoreOperation.Unseal => "Unsealing",
        StoreOperation.ProofBuild => "Building the proof",
        StoreOperation.ProofVerification => "Verifying",
        StoreOperation.ProjectionRebuild => $"Building the projection {Projection}",
        _ => Operation.ToString(),
    };
}
