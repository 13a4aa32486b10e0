namespace Opossum.DocTests;

public sealed class BackupSnippets
{
    [Fact]
    public async Task A_backup_is_restored_and_events_are_moved_to_another_store()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "shop" }))
            await store.AppendAsync([NewEvent.FromJson("order-placed", "1"), NewEvent.FromJson("order-shipped", "2")]);

        await BackUpAsync();
        await RestoreAsync();
        await TransferAsync();

        await using var restored = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "restored" });
        await using var archive = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "archive" });
        Assert.Equal(2, await restored.GetHeadAsync(TestContext.Current.CancellationToken));
        Assert.Equal(1, await archive.GetHeadAsync(TestContext.Current.CancellationToken));
    }

    private static async Task BackUpAsync()
    {
        var report = await StoreBackup.RunAsync("shop", "backups/shop");
        Console.WriteLine(report);
    }

    private static async Task RestoreAsync()
    {
        var report = await StoreBackup.RestoreAsync("backups/shop", "restored");
        Console.WriteLine(report);
    }

    private static async Task TransferAsync()
    {
        await using (var file = File.Create("orders.jsonl"))
            await StoreExport.RunAsync("shop", file, new StoreExportOptions { Query = Query.FromEventTypes("order-placed") });

        await using (var file = File.OpenRead("orders.jsonl"))
            Console.WriteLine(await StoreImport.RunAsync("archive", file, new StoreImportOptions { CreateIfMissing = true }));
    }
}
