using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Proof;
using Opossum.Storage;
using Opossum.Storage.Log;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Proof;

/// <summary>A tree and checkpoints of a store, and changes of its events that they have to show.</summary>
public sealed class StoreProofTests : IDisposable
{
    private const int Events = 600;

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);
    private readonly ProofKey key = ProofKey.Create("shop.example");

    public void Dispose()
    {
        place.Dispose();
        key.Dispose();
    }

    [Fact]
    public async Task An_untouched_history_is_intact_whoever_wrote_it_and_however_the_files_are_laid_out()
    {
        await FillAsync(300);
        var first = Write();
        await FillAsync(300);
        var second = Write();
        var file = place.Layout.EventFile(17);
        place.Put(file, Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(place.Bytes(file)).Replace("\n", "\r\n", StringComparison.Ordinal)));

        Assert.True(Verify(first).IsIntact);
        Assert.True(Verify(second).IsIntact);
        Assert.Equal((300, Events), (first.Position, second.Position));
        Assert.Equal(Events, Verify(second, first).IntactUpTo);
        place.AssertClean();
    }

    [Fact]
    public async Task An_empty_store_has_a_checkpoint_that_the_next_one_continues()
    {
        await FillAsync(0);
        var first = Write();
        await FillAsync(3);

        Assert.Equal((0, 3), (first.Position, Write().Position));
        Assert.True(Verify(first).IsIntact);
        place.AssertClean();
    }

    [Fact]
    public async Task Each_event_is_proven_by_a_text_of_at_most_2_KiB_and_no_other_event_is()
    {
        await FillAsync(Events);
        Write();
        foreach (var position in (long[])[1, 2, 255, 256, 257, 512, 599, 600])
        {
            var proof = Prove(position);
            var file = place.Bytes(place.Layout.EventFile(position));
            Assert.Equal(Events, StoreProof.VerifyProof(proof, file, key.Verifier).Position);
            Assert.InRange(proof.Length, 1, 2048);

            var changed = place.Event(position) with { TimestampTicks = 1 };
            Assert.Throws<FormatException>(() => StoreProof.VerifyProof(proof, EventFile.TextOf(changed), key.Verifier));
            var neighbour = place.Bytes(place.Layout.EventFile(601 - position));
            Assert.Equal($"the event file holds the event of position {601 - position}, not of {position}",
                Assert.Throws<FormatException>(() => StoreProof.VerifyProof(proof, neighbour, key.Verifier)).Message);
            using var other = ProofKey.Create("shop.example");
            Assert.Throws<FormatException>(() => StoreProof.VerifyProof(proof, file, other.Verifier));
            Assert.Throws<FormatException>(() => StoreProof.VerifyProof(proof.Replace("\n600\n", "\n601\n", StringComparison.Ordinal), file, key.Verifier));
        }
    }

    [Fact]
    public async Task A_proof_that_is_cancelled_while_hashes_are_computed_is_not_made()
    {
        await FillAsync(6);
        Write();
        using var cancellation = new CancellationTokenSource();
        using var files = place.Disk!.Attach();
        files.BeforeOperation = operation =>
        {
            if (operation.Path == place.Layout.ProofCheckpoint)
                cancellation.Cancel();
        };

        Assert.Throws<OperationCanceledException>(() => StoreProof.Prove(files, place.Layout, 3, cancellation.Token));
    }

    [Fact]
    public async Task Event_after_the_first_tile_of_the_second_level_is_proven()
    {
        LongTests.SkipUnlessAsked();
        const int tile = 256;
        const int count = tile * tile + tile;
        var store = place.Open(static options => options.FlushEventsImmediately = false);
        for (var first = 0; first < count; first += tile * 16)
            await store.AppendAsync([.. Enumerable.Range(0, Math.Min(tile * 16, count - first)).Select(static _ => New("moved"))]);
        place.CloseStores();
        Write();

        foreach (var position in (long[])[1, tile * tile, tile * tile + 1, count])
        {
            var proof = Prove(position);
            Assert.Equal(count, StoreProof.VerifyProof(proof, place.Bytes(place.Layout.EventFile(position)), key.Verifier).Position);
        }
    }

    [Fact]
    public async Task A_tile_of_the_second_level_of_events_that_were_cut_off_is_written_again()
    {
        LongTests.SkipUnlessAsked();
        const int tile = 256;
        var store = place.Open(static options => options.FlushEventsImmediately = false);
        for (var first = 0; first < tile * tile; first += tile * 16)
            await store.AppendAsync([.. Enumerable.Range(0, tile * 16).Select(static _ => New("moved"))]);
        place.CloseStores();
        var root = Write().Root;
        // As a process leaves it that ends between the two levels.
        place.Put($"{place.Layout.Proof}/tile/1/000", new byte[tile * 32]);

        Assert.Equal(root, Write().Root);
        place.AssertClean();
    }

    [Fact]
    public async Task Proving_writes_nothing_also_where_the_tiles_are_missing()
    {
        await FillAsync(Events);
        Write();
        using (var files = place.Attach())
        {
            var filesLeft = int.MaxValue;
            Assert.True(files.RemoveFolder(place.Layout.ProofFile([]), ref filesLeft));
        }
        var before = place.Snapshot();

        var proof = Prove(300);

        Assert.Equal(before.Keys, place.Snapshot().Keys);
        Assert.Equal(Events, StoreProof.VerifyProof(proof, place.Bytes(place.Layout.EventFile(300)), key.Verifier).Position);
    }

    [Fact]
    public async Task A_tile_that_is_missing_between_others_is_built_again()
    {
        await FillAsync(4 * Tile.Width);
        var root = Write().Root;
        var path = place.Layout.ProofFile(new Tile(0, 2).Path());
        var before = place.Bytes(path);
        place.Delete(path);

        using (var files = place.Attach())
            StoreProof.Build(files, place.Layout, null, CancellationToken.None);

        Assert.Equal(before, place.Bytes(path));
        Assert.Equal(root, Write().Root);
        place.AssertClean();
    }

    [Fact]
    public async Task A_rewritten_history_with_a_rewritten_tree_is_found_between_two_checkpoints()
    {
        await FillAsync(300);
        var first = Write();
        await FillAsync(300);
        var second = Write();
        RewriteHistory();
        Write();

        var difference = Verify(second, first).FirstDifference!;
        Assert.Equal((ProofDifferenceKind.Rewritten, 301, 600), (difference.Kind, difference.First, difference.Last));
        Assert.Equal(300, Verify(second, first).IntactUpTo);
        Assert.True(Verify(first).IsIntact);
    }

    [Theory]
    [InlineData(600, ProofDifferenceKind.CutOff)]
    [InlineData(450, ProofDifferenceKind.Missing)]
    public async Task Without_tiles_no_event_after_the_last_checkpoint_counts_as_intact_where_a_later_one_is_missing(long missing,
        ProofDifferenceKind kind)
    {
        await FillAsync(300);
        var first = Write();
        await FillAsync(300);
        var second = Write();
        using (var files = place.Attach())
        {
            var filesLeft = int.MaxValue;
            Assert.True(files.RemoveFolder(place.Layout.Proof, ref filesLeft));
        }
        place.Delete(place.Layout.EventFile(missing));

        var report = Verify(second, first);

        Assert.Equal((kind, missing, 300), (report.FirstDifference!.Kind, report.FirstDifference.First, report.IntactUpTo));
        Assert.Contains($"Whether the events 301 to {missing - 1} are those", report.FirstDifference.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_rewritten_history_with_a_checkpoint_of_the_same_position_is_found()
    {
        await FillAsync(600);
        var first = Write();
        RewriteHistory();
        var second = Write();

        Assert.True(Verify(second).IsIntact);
        Assert.False(Verify(first, second).IsIntact);
        var report = Verify(second, first);
        Assert.Equal((ProofDifferenceKind.Rewritten, 1, 600, 0),
            (report.FirstDifference!.Kind, report.FirstDifference.First, report.FirstDifference.Last, report.IntactUpTo));
    }

    [Fact]
    public async Task A_checkpoint_that_another_process_writes_meanwhile_is_not_replaced_by_an_older_one()
    {
        await FillAsync(5);
        var isMet = false;
        using var client = place.Disk!.Attach();
        client.BeforeOperation = operation =>
        {
            if (isMet || operation.Kind != OperationKind.CreateNew
                || !operation.Path.StartsWith(place.Layout.Proof, StringComparison.Ordinal))
            {
                return;
            }
            isMet = true;
            FillAsync(1).GetAwaiter().GetResult();
            Write();
        };

        StoreProof.WriteCheckpoint(client, place.Layout, key, [], place.Clock, CancellationToken.None);

        Assert.True(isMet);
        Assert.Equal(6, ProofCheckpoint.ParseUnverified(Encoding.UTF8.GetString(place.Bytes(place.Layout.ProofCheckpoint))).Position);
        Assert.DoesNotContain(place.Snapshot(place.Layout.Proof).Keys, static path => path.EndsWith(".new", StringComparison.Ordinal));
    }

    // It would look like a history that was cut off.
    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Btrfs))]
    [InlineData(nameof(VolumeKind.Posix))]
    public async Task A_checkpoint_covers_no_event_that_a_power_cut_takes(string kind)
    {
        using var unflushed = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var store = unflushed.Open(static options =>
        {
            options.FlushEventsImmediately = false;
            options.TimeProvider = new TestClock();
        });
        await store.AppendAsync(Many(3));
        await store.AppendAsync(Many(2));

        using (var files = unflushed.Attach())
            StoreProof.WriteCheckpoint(files, unflushed.Layout, key, [], unflushed.Clock, CancellationToken.None);

        using var left = StorePlace.On(unflushed.Disk!.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
        Assert.Equal(5, await left.Open().GetHeadAsync());
        left.CloseStores();
        left.AssertClean();
    }

    [Fact]
    public async Task Two_processes_write_a_checkpoint_at_once()
    {
        await FillAsync(5);
        var isMet = false;
        using var client = place.Disk!.Attach();
        client.BeforeOperation = operation =>
        {
            if (isMet || operation.Kind != OperationKind.Move || operation.To != place.Layout.ProofCheckpoint)
                return;
            isMet = true;
            Write();
        };

        StoreProof.WriteCheckpoint(client, place.Layout, key, [], place.Clock, CancellationToken.None);

        Assert.True(isMet);
        Assert.Equal(5, ProofCheckpoint.ParseUnverified(Encoding.UTF8.GetString(place.Bytes(place.Layout.ProofCheckpoint))).Position);
    }

    [Fact]
    public async Task No_checkpoint_is_written_of_a_history_that_does_not_continue_the_last_one()
    {
        place.CreateFolder("/witness");
        await FillAsync(300);
        Write("/witness");
        place.Repair(Repair.Remedies.Truncate(201));
        var cut = Assert.Throws<StoreMaintenanceException>(() => Write());
        Assert.Contains("cut off", cut.Message, StringComparison.Ordinal);
        await FillAsync(199);
        var changed = Assert.Throws<StoreMaintenanceException>(() => Write());
        Assert.Contains("changed", changed.Message, StringComparison.Ordinal);
        // The owner may remove his own checkpoint, but not the witness's.
        place.Delete(place.Layout.ProofCheckpoint);
        Assert.Contains("/witness/", Assert.Throws<StoreMaintenanceException>(() => Write("/witness")).Path, StringComparison.Ordinal);
        Assert.Equal(400, Write().Position);
    }

    [Fact]
    public async Task A_witness_that_is_gone_is_named_and_the_others_are_written()
    {
        place.CreateFolder("/witness");
        await FillAsync(3);
        using var files = place.Attach();
        var result = StoreProof.WriteCheckpoint(files, place.Layout, key, ["/gone", "/witness"], place.Clock, CancellationToken.None);

        Assert.Contains("/gone", Assert.Single(result.WitnessProblems), StringComparison.Ordinal);
        Assert.Single(files.List("/witness"));
    }

    [Fact]
    public async Task The_checkpoint_of_another_store_is_refused()
    {
        await FillAsync(3);
        using var other = StorePlace.On(VolumeKind.Ext4);
        await other.Open().AppendAsync([New("a", "k:1")]);
        other.CloseStores();
        using var files = other.Attach();
        var foreign = StoreProof.WriteCheckpoint(files, other.Layout, key, [], place.Clock, CancellationToken.None).Checkpoint;

        Assert.Throws<StoreMaintenanceException>(() => Verify(foreign));
    }

    [Theory]
    [InlineData("write")]
    [InlineData("prove")]
    [InlineData("check")]
    public async Task Events_and_a_checkpoint_that_another_process_writes_meanwhile_look_like_no_change(string work)
    {
        place.CreateFolder("/witness");
        await FillAsync(5);
        Write("/witness");
        foreach (var moment in (string[])[place.Layout.IndexFile, place.Layout.ProofCheckpoint, place.Layout.EventFile(3), place.Layout.Events])
        {
            var isMet = false;
            using var client = place.Disk!.Attach();
            client.BeforeOperation = operation =>
            {
                if (isMet || IsLocked() || operation.Path != moment)
                    return;
                isMet = true;
                FillAsync(1).GetAwaiter().GetResult();
                Write("/witness");
            };
            if (work == "write")
                StoreProof.WriteCheckpoint(client, place.Layout, key, ["/witness"], place.Clock, CancellationToken.None);
            else if (work == "prove")
                StoreProof.Prove(client, place.Layout, 3, CancellationToken.None);
            else
                Assert.True(StoreCheck.Run(client, place.Layout, progress: null).IsClean);
        }
    }

    [Fact]
    public async Task An_index_that_lost_its_end_is_not_a_history_that_was_cut_off()
    {
        place.CreateFolder("/witness");
        await FillAsync(6);
        var before = place.Bytes(place.Layout.IndexFile);
        await FillAsync(3);
        Write("/witness");
        place.Put(place.Layout.IndexFile, before);

        var refused = Assert.Throws<StoreOpenException>(() => Prove(3));
        Assert.Contains("has 6 events, and the store has events up to position 9", refused.Message, StringComparison.Ordinal);
        Assert.Equal(place.Layout.Index, Assert.Throws<StoreOpenException>(() => Write()).Path);
        place.Delete(place.Layout.ProofCheckpoint);
        Assert.Throws<StoreOpenException>(() => Write("/witness"));

        place.Open();
        place.CloseStores();
        Assert.Equal(9, Write("/witness").Position);
        Assert.Equal(9, StoreProof.VerifyProof(Prove(3), place.Bytes(place.Layout.EventFile(3)), key.Verifier).Position);
    }

    // With its index and its tree.
    private void RewriteHistory()
    {
        for (var position = 448; position <= 450; position++)
            Forge(position, place.Event(position) with { TimestampTicks = 1 });
        using (var files = place.Attach())
        {
            var filesLeft = int.MaxValue;
            Assert.True(files.RemoveFolder(place.Layout.Index, ref filesLeft));
            Assert.True(files.RemoveFolder(place.Layout.Proof, ref filesLeft));
        }
        place.Open();
        place.CloseStores();
    }

    private bool IsLocked()
    {
        using var other = place.Disk!.Attach();
        using var file = other.Open(place.Layout.LockFile, FileOpening.ReadWrite)!;
        return !file.TryLock(LockByte.Offset);
    }

    private async Task FillAsync(int count)
    {
        var store = place.Open();
        for (var at = 0; at < count; at += 3)
            await store.AppendAsync([.. Enumerable.Range(at, Math.Min(3, count - at)).Select(static each => New("counted", $"number:{each}"))]);
        place.CloseStores();
    }

    private ProofCheckpoint Write(params string[] witnesses)
    {
        using var files = place.Attach();
        return StoreProof.WriteCheckpoint(files, place.Layout, key, witnesses, place.Clock, CancellationToken.None).Checkpoint;
    }

    private ProofReport Verify(params ProofCheckpoint[] checkpoints)
    {
        using var files = place.Attach();
        return StoreProof.Verify(files, place.Layout, checkpoints, null, CancellationToken.None);
    }

    private string Prove(long position)
    {
        using var files = place.Attach();
        return StoreProof.Prove(files, place.Layout, position, CancellationToken.None);
    }

    private void Forge(long position, StoredEvent stored) => place.Put(place.Layout.EventFile(position), EventFile.TextOf(stored));
}
