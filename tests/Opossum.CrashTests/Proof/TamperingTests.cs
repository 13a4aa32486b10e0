using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Proof;

/// <summary>Each random change of a history is found against a checkpoint, and its first event is named.</summary>
public sealed class TamperingTests(ITestOutputHelper output)
{
    private const int Events = 270;
    private const int FirstCheckpoint = 120;

    private static readonly Tampering[] ways = Enum.GetValues<Tampering>();

    [Fact]
    public void Every_random_change_is_found_and_named()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        using var key = ProofKey.Create("shop.example");
        var history = new TamperedHistory(place, Events, new Random(0));
        history.Append(FirstCheckpoint);
        var first = Write(place, key);
        history.Append(Events - FirstCheckpoint);
        var second = Write(place, key);

        Cases.TrySeeds(10_000, seed => Try(place.Disk!, [second, first], seed), output, "changes found", share: 0.25);
    }

    private static int Try(SimulatedDisk disk, ProofCheckpoint[] checkpoints, int seed)
    {
        using var place = StorePlace.On(disk.Copy());
        var way = ways[seed % ways.Length];
        var (kind, position) = new TamperedHistory(place, Events, new Random(seed)).Change(way);
        using var files = place.Attach();
        var report = StoreProof.Verify(files, place.Layout, checkpoints, null, CancellationToken.None);
        // Without the tiles, the range that the checkpoints leave is named.
        var (from, to) = kind != ProofDifferenceKind.Rewritten
            ? (position, kind == ProofDifferenceKind.CutOff ? Events : position)
            : position <= FirstCheckpoint ? (1, FirstCheckpoint) : (FirstCheckpoint + 1, Events);
        Assert.True(report.FirstDifference is { } found && (found.Kind, found.First, found.Last) == (kind, from, to),
            $"{way} at {position}: {report.FirstDifference?.Kind} {report.FirstDifference?.First} to {report.FirstDifference?.Last}, "
                + $"{report.FirstDifference}");
        return 1;
    }

    private static ProofCheckpoint Write(StorePlace place, ProofKey key)
    {
        using var files = place.Attach();
        return StoreProof.WriteCheckpoint(files, place.Layout, key, [], place.Clock, CancellationToken.None).Checkpoint;
    }
}
