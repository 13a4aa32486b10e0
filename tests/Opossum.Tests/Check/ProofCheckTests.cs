using System.Text;
using Opossum.Maintenance;
using Opossum.Storage.Log;
using Opossum.Testing.Simulated;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Check;

/// <summary>A check compares the tree and the last checkpoint with the events, and says which of them to doubt.</summary>
public sealed class ProofCheckTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);
    private readonly ProofKey key = ProofKey.Create("shop.example");

    public void Dispose()
    {
        place.Dispose();
        key.Dispose();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(256)]
    [InlineData(600)]
    public async Task A_tree_of_the_events_is_right_also_when_more_follow(int more)
    {
        await FillAsync(600);
        Write();
        await FillAsync(more);

        place.AssertClean();
    }

    [Fact]
    public async Task A_checkpoint_of_no_events_is_right_also_when_some_follow()
    {
        await FillAsync(0);
        Write();
        place.AssertClean();
        await FillAsync(300);
        place.AssertClean();
        place.Put(place.Layout.ProofCheckpoint, Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(place.Bytes(place.Layout.ProofCheckpoint))
            .Replace("\n0\n4", "\n0\n5", StringComparison.Ordinal)));
        Assert.Equal(Remedy.VerifyProof, Assert.Single(place.Check().Findings).Remedy);
    }

    [Theory]
    [InlineData("tile/0/000", 1)]
    [InlineData("tile/0/001", 257)]
    public async Task A_tile_that_is_damaged_is_named_and_built_again(string name, long position)
    {
        await FillAsync(600);
        Write();
        place.Patch($"{place.Layout.Proof}/{name}", 40, [1, 2, 3]);

        var finding = Assert.Single(place.Check().Findings);
        Assert.Equal((FindingKind.ProofMismatch, Remedy.RebuildProof, position), (finding.Kind, finding.Remedy, finding.Position));
        RemoveTiles();
        place.AssertClean();
        Write();
        place.AssertClean();
    }

    [Fact]
    public async Task A_tile_of_another_length_or_an_upper_one_that_is_wrong_is_named()
    {
        await FillAsync(300);
        Write();
        place.Put($"{place.Layout.Proof}/tile/0/000", new byte[100]);
        Assert.Equal(Remedy.RebuildProof, Assert.Single(place.Check().Findings).Remedy);
        RemoveTiles();
        Write();

        // The first tile above is whole with 65,536 events; one that is there before is not derived from them, and nobody reads it.
        place.Put($"{place.Layout.Proof}/tile/1/000", new byte[8192]);
        place.AssertClean();
    }

    [Fact]
    public async Task Events_that_differ_from_the_checkpoint_are_to_be_verified_before_anything_is_deleted()
    {
        await FillAsync(600);
        Write();
        var stored = place.Event(300);
        place.Put(place.Layout.EventFile(300), EventFile.TextOf(stored with { Content = stored.Content with { Json = "7"u8.ToArray() } }));
        place.Repair(Remedies.RebuildIndex);

        var findings = place.Check().Findings;
        Assert.Equal([(FindingKind.ProofMismatch, Remedy.VerifyProof), (FindingKind.ProofMismatch, Remedy.VerifyProof)],
            findings.Select(static each => (each.Kind, each.Remedy)));
        Assert.Equal([null, 257], findings.Select(static each => each.Position));
    }

    [Fact]
    public async Task A_tile_that_differs_is_not_to_be_deleted_where_a_bad_file_keeps_the_checkpoint_from_being_compared()
    {
        await FillAsync(300);
        await FillAsync(300);
        Write();
        place.Patch($"{place.Layout.Proof}/tile/0/000", 40, [1, 2, 3]);
        place.Put(place.Layout.EventFile(400), []);

        var finding = Assert.Single(place.Check().Findings, static each => each.Kind == FindingKind.ProofMismatch);
        Assert.Equal((Remedy.VerifyProof, 1L), (finding.Remedy, finding.Position));
    }

    [Fact]
    public async Task A_history_that_ends_before_the_checkpoint_was_cut_off()
    {
        await FillAsync(500);
        await FillAsync(100);
        Write();
        place.Repair(Remedies.Truncate(500));

        var finding = Assert.Single(place.Check().Findings);
        Assert.Equal(Remedy.VerifyProof, finding.Remedy);
        Assert.Contains("was cut off", finding.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_checkpoint_that_is_none_or_another_stores_is_named()
    {
        await FillAsync(3);
        Write();
        var own = place.Bytes(place.Layout.ProofCheckpoint);
        place.Put(place.Layout.ProofCheckpoint, "nonsense"u8);
        Assert.Equal(Remedy.MoveAway, Assert.Single(place.Check().Findings).Remedy);

        using var other = StorePlace.On(VolumeKind.Ext4);
        await other.Open().AppendAsync([New("counted")]);
        other.CloseStores();
        other.CreateFolder(other.Layout.Proof);
        other.Put(other.Layout.ProofCheckpoint, own);
        Assert.Contains("another store", Assert.Single(other.Check().Findings).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Redacted_events_are_counted_and_named_and_are_no_damage()
    {
        await PersonalStore.CreateAsync(place);
        Write();
        place.Repair(Remedies.Redact(place.Clock, PersonalStore.Positions, PersonalStore.Members));

        var report = place.Check();
        Assert.True(report.IsClean);
        Assert.Equal((3, "6 events, nothing wrong" + Environment.NewLine + "3 events were redacted: positions 1, 3, 6"),
            (report.RedactedCount, report.ToString()));
    }

    [Fact]
    public async Task An_event_that_says_it_was_redacted_and_has_a_value_is_to_be_verified()
    {
        await PersonalStore.CreateAsync(place);
        Write();
        place.Repair(Remedies.Redact(place.Clock, PersonalStore.Positions, PersonalStore.Members));
        var stored = place.Event(3);
        var forged = Encoding.UTF8.GetString(stored.Content.Json).Replace("\"email\":null", "\"email\":\"x\"", StringComparison.Ordinal);
        place.Put(place.Layout.EventFile(3),
            EventFile.TextOf(stored with { Content = stored.Content with { Json = Encoding.UTF8.GetBytes(forged) } }));
        place.Repair(Remedies.RebuildIndex);

        var finding = Assert.Single(place.Check().Findings);
        Assert.Equal((FindingKind.ProofMismatch, Remedy.VerifyProof, 3, place.Layout.EventFile(3)),
            (finding.Kind, finding.Remedy, finding.Position, finding.Path));
        Assert.Contains("that have a value", finding.Message, StringComparison.Ordinal);
    }

    private async Task FillAsync(int count)
    {
        var store = place.Open();
        if (count > 0)
            await store.AppendAsync([.. Enumerable.Range(0, count).Select(static each => New("counted", $"number:{each}"))]);
        place.CloseStores();
    }

    private void Write()
    {
        using var files = place.Attach();
        StoreProof.WriteCheckpoint(files, place.Layout, key, [], place.Clock, CancellationToken.None);
    }

    private void RemoveTiles()
    {
        using var files = place.Attach();
        var filesLeft = int.MaxValue;
        Assert.True(files.RemoveFolder($"{place.Layout.Proof}/tile", ref filesLeft));
    }
}
