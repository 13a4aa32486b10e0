using Opossum.Maintenance;

namespace Opossum.DocTests;

public sealed class ProofSnippets : DocumentCode
{
    [Fact]
    public async Task A_history_is_kept_and_verified()
    {
        await CreateKeyAsync();
        await KeepAsync();
        using var key = ProofKey.FromPem(await File.ReadAllTextAsync("warehouse.key", TestContext.Current.CancellationToken));
        var written = await StoreProof.WriteCheckpointAsync("warehouse", key, cancellationToken: TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync("stick.checkpoint", written.Checkpoint.Text, TestContext.Current.CancellationToken);

        var printed = new PrintedLines();
        await VerifyAsync(printed);

        Assert.Equal(["intact"], printed.TakeAll());

        await StoreRepair.RedactAsync("warehouse", [1], ["counter"], "Request 2026-17", cancellationToken: TestContext.Current.CancellationToken);
        await VerifyAsync(printed);
        await VerifyRedactedAsync(printed);
        Assert.Equal(["intact", "1: Request 2026-17"], printed.TakeAll());
    }

    private static async Task CreateKeyAsync()
    {
        using var key = ProofKey.Create("shop.example");
        await File.WriteAllTextAsync("warehouse.key", key.ToPem());
        await File.WriteAllTextAsync("warehouse.verifier", key.Verifier.ToString());
    }

    private static async Task KeepAsync()
    {
        using var key = ProofKey.FromPem(await File.ReadAllTextAsync("warehouse.key"));
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions
        {
            Path = "warehouse",
            Proof = new ProofOptions { Key = key, Witnesses = { @"\\office\proofs" } },
        });
        await store.AppendAsync([NewEvent.FromJson("counted", """{ "counter": "Erika" }""")]);
    }

    private static async Task VerifyAsync(PrintedLines Console)
    {
        var verifier = ProofVerifier.Parse(await File.ReadAllTextAsync("warehouse.verifier"));
        var checkpoint = ProofCheckpoint.Parse(await File.ReadAllTextAsync("stick.checkpoint"), verifier);
        var report = await StoreProof.VerifyAsync("warehouse", [checkpoint]);
        Console.WriteLine(report.IsIntact ? "intact" : report.FirstDifference!.Message);
    }

    private static async Task VerifyRedactedAsync(PrintedLines Console)
    {
        var verifier = ProofVerifier.Parse(await File.ReadAllTextAsync("warehouse.verifier"));
        var checkpoint = ProofCheckpoint.Parse(await File.ReadAllTextAsync("stick.checkpoint"), verifier);
        var report = await StoreProof.VerifyAsync("warehouse", [checkpoint]);
        foreach (var redacted in report.Redacted)
            Console.WriteLine($"{redacted.Position}: {redacted.Redactions[^1].Reason}");
    }
}
