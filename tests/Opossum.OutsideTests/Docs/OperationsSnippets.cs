using System.Globalization;
using Opossum.Maintenance;

namespace Opossum.DocTests;

public sealed class OperationsSnippets : DocumentCode
{
    [Fact]
    public async Task Check()
    {
        await AppendAsync("checked", 3);

        var report = await StoreCheck.RunAsync("checked");
        Console.WriteLine(report);
        foreach (var finding in report.Findings)
            Console.WriteLine($"{finding.Kind} at {finding.Position}: {finding.Path}. Remedy: {finding.Remedy}");

        Assert.True(report.IsClean);
    }

    [Fact]
    public async Task Check_with_progress()
    {
        await AppendAsync("shown", 3);

        var report = await StoreCheck.RunAsync("shown", progress: new Progress<StoreProgress>(progress => Console.WriteLine(progress)));

        Assert.True(report.IsClean);
    }

    [Fact]
    public async Task Status()
    {
        await AppendAsync("told", 3);
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "told" });

        var status = await store.GetStatusAsync();
        Console.WriteLine(status);
        foreach (var key in status.TagKeys)
            Console.WriteLine($"{key.Key}: {key.Values} values on {key.Events} events");

        Assert.Equal((3, 1), (status.Head, status.EventTypesTotal));
    }

    [Fact]
    public async Task Lost_and_damaged_files_are_restored()
    {
        await AppendAsync("sales", 3);
        await BackUpAsync();
        File.Delete("sales/Events/0000000000/0000000002.json");
        await RestoreFromIndexAsync();
        Assert.True((await StoreCheck.RunAsync("sales")).IsClean);

        Directory.Delete("sales/Index", recursive: true);
        File.Delete("sales/Events/0000000000/0000000002.json");
        await RestoreFromFolderAsync();
        Assert.True((await StoreCheck.RunAsync("sales")).IsClean);

        await File.WriteAllTextAsync("sales/Events/0000000000/0000000002.json", (await File.ReadAllTextAsync("sales/Events/0000000000/0000000002.json")).Replace("\"data\": 2", "\"data\": null", StringComparison.Ordinal));
        await AcceptEditAsync();
        await RebuildIndexAsync();
        Assert.True((await StoreCheck.RunAsync("sales")).IsClean);

        File.Delete("sales/Events/0000000000/0000000002.json");
        await TruncateAsync();
        Assert.Equal((1, true), ((await StoreCheck.RunAsync("sales")).Events, (await StoreCheck.RunAsync("sales")).IsClean));
    }

    [Fact]
    public async Task Members_are_redacted()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "customers" }))
        {
            await store.AppendAsync([NewEvent.FromJson("opened", "1")]);
            await store.AppendAsync([NewEvent.FromJson("registered", """{ "email": "erika@example.org" }""")]);
            await store.AppendAsync([NewEvent.FromJson("registered", """{ "contacts": [{ "phone": "1" }] }""")]);
        }
        await RedactAsync();

        var text = await File.ReadAllTextAsync("customers/Events/0000000000/0000000002.json", TestContext.Current.CancellationToken);
        Assert.Contains("\"email\": null", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_archive_is_read()
    {
        await AppendAsync("archive", 3);

        var options = new OpossumOptions { Path = "archive", ReadOnly = true };
        await using var store = await FileSystemEventStore.OpenAsync(options);

        Assert.Equal(3, await store.GetHeadAsync(TestContext.Current.CancellationToken));
        await Assert.ThrowsAsync<NotSupportedException>(async () => await store.AppendAsync([NewEvent.FromJson("counted", "4")]));
    }

    private static async Task BackUpAsync()
    {
        var report = await StoreBackup.RunAsync("sales", "backup");
        Console.WriteLine(report);
    }

    private static async Task RestoreFromIndexAsync()
    {
        var report = await StoreRepair.RestoreFromIndexAsync("sales");
        Console.WriteLine(report);
    }

    private static async Task RestoreFromFolderAsync()
    {
        var report = await StoreRepair.RestoreFromFolderAsync("sales", "backup/Events/0000000000");
        Console.WriteLine(report);
    }

    private static async Task AcceptEditAsync()
    {
        var report = await StoreRepair.AcceptEditedFileAsync("sales", position: 2);
        Console.WriteLine(report);
    }

    private static async Task RedactAsync()
    {
        var report = await StoreRepair.RedactAsync("customers", [2, 3], ["email", "contacts[].phone"], "Request 2026-17");
        Console.WriteLine(report);
    }

    private static async Task RebuildIndexAsync()
    {
        var report = await StoreRepair.RebuildIndexAsync("sales");
        Console.WriteLine(report);
    }

    private static async Task TruncateAsync()
    {
        var report = await StoreCheck.RunAsync("sales");
        var cut = await StoreRepair.TruncateAsync("sales", after: report.WholeUpTo);
        Console.WriteLine(cut);
    }

    private static async Task AppendAsync(string path, int count)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        for (var each = 1; each <= count; each++)
            await store.AppendAsync([NewEvent.FromJson("counted", each.ToString(CultureInfo.InvariantCulture))]);
    }
}
