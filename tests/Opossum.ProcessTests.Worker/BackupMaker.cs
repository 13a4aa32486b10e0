using Opossum.Maintenance;

namespace Opossum.ProcessTests.Worker;

/// <summary>Backs a store up, again and again, and says how far each backup reaches.</summary>
internal static class BackupMaker
{
    public static async Task RunAsync(string path, string target)
    {
        Lines.EndWithTheTest();
        while (true)
        {
            var report = await StoreBackup.RunAsync(path, target);
            Lines.Say($"head {report.Head}");
        }
    }
}
