using Opossum.Maintenance;

namespace Opossum.DocTests;

public sealed class BackupSnippets : DocumentCode
{
    [Fact]
    public async Task A_backup_is_restored_and_events_are_moved_to_another_store()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "tickets" }))
            await store.AppendAsync([NewEvent.FromJson("ticket-sold", "1"), NewEvent.FromJson("ticket-used", "2")]);

        await BackUpAsync();
        await RestoreAsync();
        await TransferAsync();
        await TakeSnapshotAsync();

        await using var restored = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "tickets-restored" });
        await using var archive = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "tickets-archive" });
        Assert.Equal(2, await restored.GetHeadAsync(TestContext.Current.CancellationToken));
        Assert.Equal(1, await archive.GetHeadAsync(TestContext.Current.CancellationToken));
    }

    private static async Task BackUpAsync()
    {
        var report = await StoreBackup.RunAsync("tickets", "backups/tickets");
        Console.WriteLine(report);
    }

    private static async Task RestoreAsync()
    {
        var report = await StoreBackup.RestoreAsync("backups/tickets", "tickets-restored");
        Console.WriteLine(report);
    }

    private static async Task TakeSnapshotAsync()
    {
        var report = await StoreBackup.TakeSnapshotAsync("tickets", "snapshots", new SnapshotOptions { KeepDaily = 7, KeepWeekly = 5 });
        foreach (var snapshot in await StoreBackup.ListSnapshotsAsync("snapshots"))
            Console.WriteLine($"{snapshot.Time:u}: events up to {snapshot.Head}");
        Assert.Equal(2, report.Head);
    }

    private static async Task TransferAsync()
    {
        await using (var file = File.Create("tickets.jsonl"))
            await StoreExport.RunAsync("tickets", file, Query.FromEventTypes("ticket-sold"));

        await using (var file = File.OpenRead("tickets.jsonl"))
            Console.WriteLine(await StoreImport.RunAsync("tickets-archive", file, new ImportOptions { CreateIfMissing = true }));
    }
}
