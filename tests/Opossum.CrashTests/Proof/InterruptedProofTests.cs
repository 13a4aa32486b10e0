using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
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

    private static readonly ProofKey key = ProofKey.Create("shop.example");

    internal static CrashScenario Crash { get; } = new("a checkpoint with its tiles", static kind =>
    {
        using var place = StorePlace.On(kind);
        place.CreateFolder(Witness);
        var history = new TamperedHistory(place, 0, new Random(0));
        history.Append(300);
        var old = Write(place);
        history.Append(300);
        var start = place.Disk!.Copy();
        using var whole = StorePlace.On(start.Copy());
        Write(whole);
        var tiles = TilesOf(whole);
        return () =>
        {
            var disk = start.Copy();
            return CrashRun.Of(disk, Play, (left, cut, isDone) => CheckAfter(old, tiles, left, cut, isDone));

            void Play()
            {
                using var place = StorePlace.On(disk);
                Write(place);
            }
        };
    });

    [Fact]
    public void A_checkpoint_with_its_tiles() =>
        Cases.TryEach(CrashCut.Groups([Crash], VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.25);

    [Fact]
    public void The_first_checkpoint_is_durable()
    {
        foreach (var kind in VolumeKinds.All)
        {
            using var place = StorePlace.On(kind);
            new TamperedHistory(place, 0, new Random(0)).Append(3);
            place.CreateFolder(Witness);
            Write(place);
            using var after = StorePlace.On(place.Disk!.AfterPowerCut(new(PowerCutMode.LosesAll)));
            Assert.Equal(3, Parse(after, after.Layout.ProofCheckpoint).Position);
        }
    }

    [Fact]
    public void A_checkpoint_that_an_ended_process_wrote_is_durable_once_the_next_one_reports_it()
    {
        foreach (var kind in VolumeKinds.All)
        {
            using var place = StorePlace.On(kind);
            new TamperedHistory(place, 0, new Random(0)).Append(3);
            place.CreateFolder(Witness);
            foreach (var folder in (string[])[place.Layout.Proof, Witness])
            {
                using var ended = StorePlace.On(place.Disk!.Copy());
                var client = ended.Disk!.Attach();
                var isMoved = false;
                client.BeforeOperation = operation =>
                {
                    if (isMoved)
                        client.Kill();
                    isMoved |= operation.Kind == OperationKind.Move && operation.To!.StartsWith(folder, StringComparison.Ordinal)
                        && operation.To.EndsWith("checkpoint", StringComparison.Ordinal);
                };
                Assert.ThrowsAny<Exception>(() => Write(ended, client));
                Write(ended);

                using var after = StorePlace.On(ended.Disk!.AfterPowerCut(new(PowerCutMode.LosesAll)));
                Assert.Equal([3, 3], CheckpointsOf(after).ConvertAll(path => Parse(after, path).Position));
            }
        }
    }

    [Fact]
    public void A_checkpoint_of_another_user_that_is_there_already_is_no_problem()
    {
        using var place = StorePlace.On(VolumeKind.Smb);
        new TamperedHistory(place, 0, new Random(0)).Append(3);
        place.CreateFolder(Witness);
        var written = Write(place);
        using var client = place.Disk!.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Path.EndsWith("checkpoint", StringComparison.Ordinal) ? operation.Kind == OperationKind.Flush
                : operation.Path == Witness && operation.Kind == OperationKind.FlushFolder)
            {
                throw new FileSystemException(FileError.AccessDenied, "flush", operation.Path, "it is another user's");
            }
        };

        var result = StoreProof.WriteCheckpoint(client, place.Layout, key, [Witness], place.Clock, CancellationToken.None);

        Assert.Equal((written.Position, null), (result.Checkpoint.Position, Assert.Single(result.Witnesses).Problem));
    }

    private static void CheckAfter(ProofCheckpoint old, SortedDictionary<string, byte[]?> tiles, SimulatedDisk left, PowerCut cut, bool isDone)
    {
        using var after = StorePlace.On(left);
        // As they were before or will be, and never a part of a tile.
        foreach (var (path, bytes) in TilesOf(after))
            Assert.True(tiles[path].AsSpan().SequenceEqual(bytes), path);
        // The store's own one, and those of the witness.
        var positions = string.Join(' ', CheckpointsOf(after).ConvertAll(path => Parse(after, path).Position));
        Assert.Contains(positions, isDone ? ["600 300 600"] : (string[])["300 300", "600 300", "600 300 600"]);

        Assert.Equal(600, Write(after).Position);
        Assert.Equal(tiles.Keys, TilesOf(after).Keys);
        using var last = StorePlace.On(after.Disk!.AfterPowerCut(cut));
        using var files = last.Attach();
        var report = StoreProof.Verify(files, last.Layout, [Parse(last, last.Layout.ProofCheckpoint), old], null, CancellationToken.None);
        Assert.Equal((null, 600), (report.FirstDifference, report.IntactUpTo));
    }

    private static SortedDictionary<string, byte[]?> TilesOf(StorePlace place) => new(place.Snapshot(place.Layout.Proof)
        .Where(static each => each.Key.Contains(Tile, StringComparison.Ordinal) && each.Value is not null
            && !each.Key.EndsWith(".new", StringComparison.Ordinal)).ToDictionary(), StringComparer.Ordinal);

    private static List<string> CheckpointsOf(StorePlace place) =>
        [place.Layout.ProofCheckpoint, .. place.Snapshot(Witness).Keys.Where(static path => path.EndsWith(".checkpoint", StringComparison.Ordinal))];

    private static ProofCheckpoint Parse(StorePlace place, string path)
    {
        Assert.True(place.Exists(path), path);
        try
        {
            return ProofCheckpoint.Parse(Encoding.UTF8.GetString(place.Bytes(path)), key.Verifier);
        }
        catch (FormatException e)
        {
            Assert.Fail($"{path}: {e.Message}");
            throw;
        }
    }

    private static ProofCheckpoint Write(StorePlace place)
    {
        using var files = place.Attach();
        return Write(place, files);
    }

    private static ProofCheckpoint Write(StorePlace place, IFileSystem files) =>
        StoreProof.WriteCheckpoint(files, place.Layout, key, [Witness], place.Clock, CancellationToken.None).Checkpoint;
}
