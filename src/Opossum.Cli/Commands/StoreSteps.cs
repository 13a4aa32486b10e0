using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Shows the progress that the library reports.</summary>
internal static class StoreSteps
{
    public static IProgress<StoreProgress> To(IProgress<Step> steps) => new Adapter(steps);

    private static string LabelOf(StoreProgress progress) => progress.Operation switch
    {
        StoreOperation.Check => "Checking",
        StoreOperation.Repair => "Repairing",
        StoreOperation.IndexRebuild => "Building the index",
        StoreOperation.Backup => "Backing up",
        StoreOperation.Restore => "Restoring",
        StoreOperation.Export => "Exporting",
        StoreOperation.Import => "Importing",
        StoreOperation.PersonalDataSearch => "Searching files",
        StoreOperation.Seal => "Sealing",
        StoreOperation.Unseal => "Unsealing",
        StoreOperation.ProofBuild => "Building the proof",
        StoreOperation.ProofVerification => "Verifying",
        _ => $"Building {progress.Projection}",
    };

    // Not System.Progress: it reports on other threads, so the last report could come after the work's end.
    private sealed class Adapter(IProgress<Step> steps) : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value) => steps.Report(new Step(LabelOf(value), value.Done, value.Total));
    }
}
