using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Folders;

namespace Opossum.ProcessTests.Worker;

/// <summary>Seals all folders that can be, and unseals some, again and again, until it is killed or hears a line.</summary>
internal static class Sealer
{
    public const string Step = "step";

    /// <param name="layout">The store.</param>
    /// <param name="seed">Of the choice of folders.</param>
    /// <param name="changes">After this many changes of the file system it halts; 0: never.</param>
    public static void Run(StoreLayout layout, int seed, int changes)
    {
        var random = new Random(seed);
        var heard = Task.Run(Lines.Hear);
        using var fileSystem = new SteppedFileSystem(RealFileSystem.Create());
        if (changes > 0)
            fileSystem.HaltAfter(changes);
        var progress = new Progress();
        for (var run = 0; !heard.IsCompleted; run++)
        {
            if (run % 2 == 0)
            {
                StoreSealing.Seal(fileSystem, layout, random.Next(1, 3), TimeProvider.System, progress);
                continue;
            }
            var first = random.Next(1, 400);
            StoreSealing.Unseal(fileSystem, layout, first - 1, first + random.Next(200), TimeProvider.System, progress);
        }
    }

    private sealed class Progress : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value) => Lines.Say(Step);
    }
}
