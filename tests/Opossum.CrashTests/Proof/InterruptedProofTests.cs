using System.Text;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Proof;

/// <summary>
/// The power is cut after and during every operation that writes tiles and checkpoints: a tile is whole or not there, a checkpoint is the old or the
/// new one, and the next one continues both.
/// </summary>
public sealed class InterruptedProofTests(ITestOutputHelper output)
{
    private const string Witness = "/witness";
    private const string Tile = "/tile/";

    private static readonly VolumeKind[] kinds =
        [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];

    [Fact]
    public void A_checkpoint_with_its_tiles()
    {
        using var key = ProofKey.Create("shop.example");
        Cases.TryEach(kinds.Select(kind => new CaseGroup<Case>(() => CasesOn(kind, key))), each => Try(each, key), output,
            Cases.PowerCuts, share: 0.25);
    }

    private static List<Case> CasesOn(VolumeKind kind, ProofKey key)
    {
        using var place = StorePlace.On(kind);
        place.CreateFolder(Witness);
        var history = new TamperedHistory(place, 0, new Random(0));
        history.Append(300);
        var old = Write(place, key);
        history.Append(300);
        var start = place.Disk!.Copy();
        using var whole = StorePlace.On(start.Copy());
        whole.Disk!.Trace = [];
        Write(whole, key);
        var tiles = TilesOf(whole);
        return [.. Cut.Each(whole.Disk.Trace.Where(static each => each.Changes)).Select(cut => new Case(kind, start, old, tiles, cut))];
    }

    private static int Try(Case each, ProofKey key)
    {
        using var cut = StorePlace.On(each.Start.Copy());
        each.Cut.Prepare(cut.Disk!);
        try
        {
            Write(cut, key);
        }
        catch (PowerCutException)
        {
            // Nobody hears anything more.
        }
        Assert.True(cut.Disk!.IsOff);
        var states = 0;
        foreach (var powerCut in Cases.PowerCutsAt(each.Cut.Operation))
        {
            using var after = StorePlace.On(cut.Disk.AfterPowerCut(powerCut));
            // As they were before or will be, and never a part of a tile.
            foreach (var (path, bytes) in TilesOf(after))
                Assert.True(each.Tiles[path].AsSpan().SequenceEqual(bytes), $"{powerCut}: {path}");
            foreach (var path in CheckpointsOf(after))
                Assert.Contains(Parse(after, path, key).Position, (long[])[300, 600]);
            Assert.InRange(CheckpointsOf(after).Count, 2, 3);

            Assert.Equal(600, Write(after, key).Position);
            Assert.Equal(each.Tiles.Keys, TilesOf(after).Keys);
            using var last = StorePlace.On(after.Disk!.AfterPowerCut(powerCut));
            using var files = last.Attach();
            var report = StoreProof.Verify(files, last.Layout, [Parse(last, last.Layout.ProofCheckpoint, key), each.Old], null,
                CancellationToken.None);
            Assert.Equal((null, 600), (report.FirstDifference, report.IntactUpTo));
            states++;
        }
        return states;
    }

    private static SortedDictionary<string, byte[]?> TilesOf(StorePlace place) => new(place.Snapshot(place.Layout.Proof)
        .Where(static each => each.Key.Contains(Tile, StringComparison.Ordinal) && each.Value is not null
            && !each.Key.EndsWith(".new", StringComparison.Ordinal)).ToDictionary(), StringComparer.Ordinal);

    private static List<string> CheckpointsOf(StorePlace place) =>
        [place.Layout.ProofCheckpoint, .. place.Snapshot(Witness).Keys.Where(static path => path.EndsWith(".checkpoint", StringComparison.Ordinal))];

    private static ProofCheckpoint Parse(StorePlace place, string path, ProofKey key) =>
        ProofCheckpoint.Parse(Encoding.UTF8.GetString(place.Bytes(path)), key.Verifier);

    private static ProofCheckpoint Write(StorePlace place, ProofKey key)
    {
        using var files = place.Attach();
        return StoreProof.WriteCheckpoint(files, place.Layout, key, [Witness], place.Clock, CancellationToken.None).Checkpoint;
    }

    private sealed record Case(VolumeKind Kind, SimulatedDisk Start, ProofCheckpoint Old, SortedDictionary<string, byte[]?> Tiles, Cut Cut)
    {
        public override string ToString() => $"on {Kind}, {Cut}";
    }
}
