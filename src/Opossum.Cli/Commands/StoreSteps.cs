using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Shows the progress that the library reports.</summary>
internal static class StoreSteps
{
    public static IProgress<StoreProgress> To(IProgress<Step> steps) => new Adapter(steps);

    private static string LabelOf(StoreProgress progress) => progress.Work switch
    {
        StoreWork.Check => "Checking",
        StoreWork.Repair => "Repairing",
        StoreWork.IndexRebuild => "Building the index",
        StoreWork.Backup => "Backing up",
        StoreWork.Restore => "Restoring",
        StoreWork.Export => "Exporting",
        StoreWork.Import => "Importing",
        StoreWork.PersonalDataSearch => "Searching files",
        StoreWork.Seal => "Sealing",
        StoreWork.Unseal => "Unsealing",
        StoreWork.ProofBuild => "Building the proof",
        StoreWork.ProofVerification => "Verifying",
        _ => $"Building {progress.Projection}",
    };

    // Not System.Progress: it reports on other threads, so the last report could come after the work's end.
    private sealed class Adapter(IProgress<Step> steps) : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value) => steps.Report(new Step(LabelOf(value), value.Done, value.Total));
    }
}
