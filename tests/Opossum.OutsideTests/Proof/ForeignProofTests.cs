using System.Diagnostics;
using System.Text;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Tests.Architecture;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Proof;

/// <summary>Tiles, checkpoints and proofs are verified by the tlog package of Go's checksum database, which knows nothing of this library.</summary>
public sealed class ForeignProofTests
{
    // Where Debian's golang-golang-x-mod-dev puts its sources.
    private const string GoSources = "/usr/share/gocode";

    [Theory]
    [InlineData(1, 1)]
    [InlineData(256, 256)]
    [InlineData(600, 257)]
    [InlineData(600, 600)]
    public async Task A_proof_is_verified(int events, long position)
    {
        SkipWithoutGo();
        using var place = StorePlace.InFolder();
        using var key = ProofKey.Create("shop.example");
        await FillAsync(place, events);
        await StoreProof.WriteCheckpointAsync(place.Root, key);
        var proof = await StoreProof.ProveAsync(place.Root, position);

        var (exitCode, said) = Verify(place, key, proof, position);
        Assert.Equal((0, $"{events} leaves"), (exitCode, said.Split(',')[0]));

        // Another event's leaf is refused.
        (exitCode, said) = Verify(place, key, proof.Replace($"index {position - 1}", $"index {position}", StringComparison.Ordinal), position);
        Assert.True(exitCode != 0, said);
    }

    private static void SkipWithoutGo()
    {
        LongTests.SkipUnlessAsked();
        Assert.SkipUnless(Directory.Exists($"{GoSources}/src/golang.org/x/mod/sumdb/tlog") && File.Exists("/usr/bin/go"),
            "Go or its package golang.org/x/mod is not installed.");
    }

    private static async Task FillAsync(StorePlace place, int events)
    {
        var store = place.Open(static options => options.FlushEventsImmediately = false);
        await store.AppendAsync([.. Enumerable.Range(1, events).Select(static each => New("counted", $"number:{each}"))]);
        place.CloseStores();
    }

    private static (int ExitCode, string Said) Verify(StorePlace place, ProofKey key, string proof, long position)
    {
        var folder = Path.GetDirectoryName(place.Root)!;
        var leaf = Encoding.UTF8.GetString(CanonicalText.Of(place.Bytes(place.Layout.EventFile(position))));
        File.WriteAllText(Path.Combine(folder, "proof"), proof);
        File.WriteAllText(Path.Combine(folder, "leaf"), leaf[..leaf.LastIndexOf(",\"checksum\"", StringComparison.Ordinal)]);
        var start = new ProcessStartInfo("/usr/bin/go",
        [
            "run", Path.Combine(SourceTree.Root, "tests", "foreign", "verify_proof.go"), place.Layout.Proof, key.Verifier.ToString(),
            Path.Combine(folder, "proof"), Path.Combine(folder, "leaf"),
        ])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            // A file system in memory may not run the program that Go makes there.
            Environment =
            {
                ["GO111MODULE"] = "off", ["GOPATH"] = GoSources, ["GOCACHE"] = Path.Combine(TestFolders.OnDisk, "opossum-go-cache"),
                ["TMPDIR"] = TestFolders.OnDisk,
            },
        };
        using var go = Process.Start(start)!;
        var error = go.StandardError.ReadToEndAsync();
        var said = go.StandardOutput.ReadToEnd();
        go.WaitForExit();
        return (go.ExitCode, said + error.Result);
    }
}
