using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Repair.PersonalStore;

namespace Opossum.Tests.Repair;

/// <summary>
/// The power is cut after and during every operation of a redaction: the store opens and appends, the same redaction, run again, comes to its
/// end, and no later power cut brings the text back.
/// </summary>
public sealed class InterruptedRedactionTests(ITestOutputHelper output)
{
    private static readonly VolumeKind[] kinds =
        [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];

    [Fact]
    public void A_redaction() => Cases.TryEach(
        kinds.Select(static kind => new CaseGroup<Case>(() => CasesOn(kind))), Try, output, Cases.PowerCuts, share: 0.5);

    private static List<Case> CasesOn(VolumeKind kind)
    {
        using var place = StorePlace.On(kind);
        var before = CreateAsync(place).GetAwaiter().GetResult();
        place.Put($"{place.Layout.Quarantine}/20261121T124944.285Z/0000000003.json", place.Bytes(place.Layout.EventFile(3)));
        place.Put($"{place.Layout.Projections}/customers/live.0000000101/model.json", "{}"u8);
        var start = place.Disk!.Copy();
        using var copy = StorePlace.On(start.Copy());
        copy.Disk!.Trace = [];
        Redact(copy);
        return [.. Cut.Each(copy.Disk.Trace.Where(static each => each.Changes)).Select(cut => new Case(kind, before, start, cut))];
    }

    private static StoreRedactionReport Redact(StorePlace place) => place.Repair(Remedies.Redact(place.Clock, Positions, Members));

    private static int Try(Case each)
    {
        using var cut = StorePlace.On(each.Start.Copy());
        each.Cut.Prepare(cut.Disk!);
        try
        {
            Redact(cut);
        }
        catch (PowerCutException)
        {
            // Nobody hears anything more.
        }
        Assert.True(cut.Disk!.IsOff);
        var states = 0;
        foreach (var powerCut in Cases.PowerCutsAt(each.Cut.Operation))
        {
            foreach (var isUsedBetween in (bool[])[false, true])
            {
                try
                {
                    TryAfter(each, cut, powerCut, isUsedBetween);
                }
                catch (Exception e)
                {
                    throw new InvalidOperationException($"{powerCut}, used between: {isUsedBetween}: {e.Message}", e);
                }
                states++;
            }
        }
        return states;
    }

    private static void TryAfter(Case each, StorePlace cut, PowerCut powerCut, bool isUsedBetween)
    {
        using var after = StorePlace.On(cut.Disk!.AfterPowerCut(powerCut));
        var isUnfinished = after.Exists(after.Layout.RedactionFile);
        Assert.Equal(isUnfinished, after.Check().Findings.Any(static finding => finding.Kind == StoreFindingKind.UnfinishedRedaction));
        // What is neither begun nor ended must look as if it was the one or the other.
        if (!isUnfinished)
            Assert.Contains(WhereItIs(after).Count, (int[])[0, 5]);
        if (isUsedBetween)
            Use(after, each.Before);
        Redact(after);
        Assert.Equal([], WhereItIs(after));
        Assert.DoesNotContain(after.Check().Findings, static finding => finding.Kind != StoreFindingKind.IndexMismatch);

        using var last = StorePlace.On(after.Disk!.AfterPowerCut(powerCut));
        Assert.Equal([], WhereItIs(last));
        Assert.Single(last.Snapshot($"{last.Layout.Projections}/customers/requests"), static file => file.Value is not null);
        AssertRedacted(each.Before, Promises.Read(last.Open(), Query.All)[..each.Before.Count]);
        last.CloseStores();
        // A power cut of a server may take back that the plan was deleted. Then it is carried out again.
        if (last.Disk!.Volume.IsNetwork)
            last.Repair(Remedies.FinishRedaction(last.Clock));
        Assert.DoesNotContain(last.Check().Findings, static finding => finding.Kind != StoreFindingKind.IndexMismatch);
    }

    // Neither the opening nor the append brings back what the redaction has removed from the event files.
    private static void Use(StorePlace place, IReadOnlyList<SequencedEvent> before)
    {
        var files = WhereItIs(place, place.Layout.Events);
        var store = place.Open();
        var events = Promises.Read(store, Query.All);
        Assert.Equal(before.Select(static e => (e.Position, e.Id)), events.Select(static e => (e.Position, e.Id)));
        store.AppendAsync([Events.New("opened")]).GetAwaiter().GetResult();
        place.CloseStores();
        Assert.Empty(WhereItIs(place, place.Layout.Events).Except(files));
    }

    private sealed record Case(VolumeKind Kind, IReadOnlyList<SequencedEvent> Before, SimulatedDisk Start, Cut Cut)
    {
        public override string ToString() => $"on {Kind}, {Cut}";
    }
}
