using System.Text;
using Opossum.Maintenance;
using Opossum.Proof;
using Opossum.Serialization;
using Opossum.Storage.Log;
using Opossum.Testing.Simulated;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Proof;

/// <summary>A redaction keeps checkpoints valid, and is reported as what it is; what only claims to be one is found.</summary>
public sealed class RedactionProofTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);
    private readonly ProofKey key = ProofKey.Create("shop.example");

    public void Dispose()
    {
        place.Dispose();
        key.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Checkpoints_from_before_and_after_hold(bool hasTiles)
    {
        await FillAsync();
        var before = Write();
        var file = place.Bytes(place.Layout.EventFile(2));
        var proof = Prove(2);
        place.Repair(Remedies.Redact(place.Clock, [2, 257], "email"));
        place.Repair(Remedies.Redact(place.Clock, [2], "name"));
        if (!hasTiles)
            RemoveTiles();
        var after = Write();

        Assert.Equal(before.Root, after.Root);
        foreach (var checkpoint in (ProofCheckpoint[])[before, after])
        {
            var report = Verify(checkpoint);
            Assert.Null(report.FirstDifference);
            Assert.Equal((2, 300), (report.RedactedCount, report.IntactUpTo));
            Assert.Equal([2, 257], report.Redacted.Select(static each => each.Position));
            Assert.Equal([["email"], ["name"]], report.Redacted[0].Redactions.Select(static each => each.Members.ToArray()));
        }
        // The proof holds for the text before alone.
        Assert.Equal(300, StoreProof.VerifyProof(proof, file, key.Verifier).Position);
        Assert.Equal(300, StoreProof.VerifyProof(Prove(2), file, key.Verifier).Position);
        var refused = Assert.Throws<FormatException>(() => StoreProof.VerifyProof(proof, place.Bytes(place.Layout.EventFile(2)), key.Verifier));
        Assert.StartsWith("the event was redacted", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, ProofDifferenceKind.Changed, 2)]
    [InlineData(false, ProofDifferenceKind.Rewritten, 1)]
    public async Task The_claim_of_another_leaf_is_a_difference(bool hasTiles, ProofDifferenceKind kind, long first)
    {
        await FillAsync();
        var checkpoint = Write();
        var stored = place.Event(2);
        place.Put(place.Layout.EventFile(2), EventFile.TextOf(stored with
        {
            Content = stored.Content with { Json = """{"email":"erika@example.org","name":"Emil"}"""u8.ToArray() },
        }));
        place.Repair(Remedies.Accept(2));
        place.Repair(Remedies.Redact(place.Clock, [2], "email"));
        if (!hasTiles)
            RemoveTiles();

        var difference = Verify(checkpoint).FirstDifference!;
        Assert.Equal((kind, first), (difference.Kind, difference.First));
        if (hasTiles)
            Assert.Contains("not with the leaf", difference.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_redacted_event_in_the_place_of_another_is_found()
    {
        await FillAsync();
        var checkpoint = Write();
        place.Repair(Remedies.Redact(place.Clock, [2], "email"));
        place.Put(place.Layout.EventFile(3), EventFile.TextOf(place.Event(2) with { Position = 3, Commit = place.Event(3).Commit }));

        var difference = Verify(checkpoint).FirstDifference!;
        Assert.Equal((ProofDifferenceKind.Moved, 3), (difference.Kind, difference.First));
    }

    [Fact]
    public async Task A_member_that_is_said_to_be_redacted_and_has_a_value_is_a_difference()
    {
        await FillAsync();
        var checkpoint = Write();
        place.Repair(Remedies.Redact(place.Clock, [2], "email"));
        var stored = place.Event(2);
        place.Put(place.Layout.EventFile(2), EventFile.TextOf(stored with
        {
            Content = stored.Content with { Json = """{"email":"another@example.org","name":"Erika"}"""u8.ToArray() },
        }));

        var difference = Verify(checkpoint).FirstDifference!;
        Assert.Equal((ProofDifferenceKind.Changed, 2), (difference.Kind, difference.First));
        Assert.Contains("that have a value", difference.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("""{"members":[],"reason":"r","by":"b","at":"2026-11-20T09:00:00.0000000Z"}""")]
    public async Task A_record_of_a_redaction_that_names_no_member_is_a_difference(string redaction)
    {
        await FillAsync();
        var checkpoint = Write();
        var record = new RedactionRecord($"{LeafSource.Of(place.Bytes(place.Layout.EventFile(2)))}", []);
        var stored = place.Event(2);
        var text = Encoding.UTF8.GetString(record.AddTo(default)).Replace("[]", $"[{redaction.Replace("\"", "\\\"")}]", StringComparison.Ordinal);
        place.Put(place.Layout.EventFile(2), EventFile.TextOf(stored with
        {
            Content = stored.Content with
            {
                Json = """{"email":"another@example.org","name":"Erika"}"""u8.ToArray(),
                Metadata = Encoding.UTF8.GetBytes(text),
            },
        }));

        var difference = Verify(checkpoint).FirstDifference!;
        Assert.Equal((ProofDifferenceKind.Changed, 2), (difference.Kind, difference.First));
    }

    private async Task FillAsync()
    {
        var store = place.Open();
        await store.AppendAsync([New("opened")]);
        await store.AppendAsync([.. Enumerable.Range(2, 299).Select(static _ =>
            NewEvent.FromJson("registered", """{"email":"erika@example.org","name":"Erika"}"""))]);
        place.CloseStores();
    }

    private void RemoveTiles()
    {
        using var files = place.Attach();
        var filesLeft = int.MaxValue;
        Assert.True(files.RemoveFolder(place.Layout.Proof, ref filesLeft));
    }

    private ProofCheckpoint Write()
    {
        using var files = place.Attach();
        return StoreProof.WriteCheckpoint(files, place.Layout, key, [], place.Clock, CancellationToken.None).Checkpoint;
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
}
