using System.Text;
using Opossum.Storage.Repair;
using Opossum.Testing.Simulated;
using Opossum.Tests.Damage;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Repair;

/// <summary>
/// The power is cut after and during every operation of each repair: nothing wrong is answered then, and the repair, run again, comes to
/// its end.
/// </summary>
public sealed class InterruptedRepairTests(ITestOutputHelper output)
{
    private static readonly VolumeKind[] kinds =
        [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];

    [Fact]
    public Task A_rebuild_of_the_index() => CutEverywhereAsync(
        (place, _) => place.Patch(place.Layout.IndexFile, 100, [0xFF, 0xFF]),
        _ => Remedies.RebuildIndex,
        (store, whole, _) => whole.AssertAnswers(store, 10));

    [Fact]
    public Task A_restoration_from_the_index() => CutEverywhereAsync(
        (place, _) =>
        {
            foreach (var position in (int[])[2, 3, 4, 7, 10])
                place.Delete(place.Layout.EventFile(position));
            place.Put(place.Layout.EventFile(3), "bad"u8);
            place.Put(place.Layout.EventFile(10), []);
        },
        _ => Remedies.RestoreFromIndex,
        (store, whole, _) => whole.AssertAnswers(store, 10));

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task A_restoration_from_a_folder(bool hasIndex) => CutEverywhereAsync(
        (place, whole) =>
        {
            for (var position = 1; position <= 10; position++)
                place.Put($"/backup/{position:D10}.json", whole.Files[place.Layout.EventFile(position)]);
            for (var position = 3; position <= 10; position++)
                place.Delete(place.Layout.EventFile(position));
            place.Put(place.Layout.EventFile(8), "bad"u8);
            if (hasIndex)
                return;
            place.Delete(place.Layout.IndexFile);
            place.Delete(place.Layout.PackedFile);
        },
        _ => Remedies.RestoreFrom("/backup"),
        (store, whole, _) => whole.AssertAnswers(store, 10));

    [Fact]
    public Task An_acceptance_of_an_edited_file() => CutEverywhereAsync(
        (place, whole) =>
            place.Put(place.Layout.EventFile(5),
                Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(whole.Files[place.Layout.EventFile(5)]!).Replace("\"a\": [", "\"EDITED\": [",
                    StringComparison.Ordinal))),
        _ => Remedies.Accept(5),
        (store, whole, _) =>
        {
            var events = Promises.Read(store, Query.All);
            Assert.Equal(whole.Events.Select(e => (e.Position, e.Id)), events.Select(e => (e.Position, e.Id)));
            Assert.Contains("EDITED", Encoding.UTF8.GetString(events[4].Json.Span), StringComparison.Ordinal);
        });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task A_truncation(bool hasIndex) => CutEverywhereAsync(
        (place, _) =>
        {
            place.Delete(place.Layout.EventFile(6));
            place.Put(place.Layout.EventFile(8), "bad"u8);
            if (hasIndex)
                return;
            place.Delete(place.Layout.IndexFile);
            place.Delete(place.Layout.PackedFile);
        },
        _ => Remedies.Truncate(5),
        (store, whole, place) =>
        {
            whole.AssertAnswers(store, 5);
            // Nothing of what was cut off is lost, in one folder or another.
            foreach (var position in (int[])(hasIndex ? [6, 7, 8, 9, 10] : [7, 9, 10]))
            {
                Assert.Contains(place.Snapshot(place.Layout.Quarantine), each => each.Key.EndsWith($"/{position:D10}.json", StringComparison.Ordinal)
                    && whole.Files[place.Layout.EventFile(position)].AsSpan().SequenceEqual(each.Value));
            }
        });

    private async Task CutEverywhereAsync(Action<StorePlace, WholeStore> damage, Func<StorePlace, Func<StoreUnderRepair, StoreRepairReport>> repair,
        Action<IEventStore, WholeStore, StorePlace> check)
    {
        var cases = new List<Case>();
        foreach (var kind in kinds)
        {
            using var place = StorePlace.On(kind);
            var whole = await WholeStore.CreateAsync(place);
            damage(place, whole);
            var start = place.Disk!.AfterPowerCut(new PowerCut(PowerCutMode.KeepsAll));
            using var copy = StorePlace.On(start.AfterPowerCut(new PowerCut(PowerCutMode.KeepsAll)));
            copy.Disk!.Trace = [];
            copy.Repair(repair(copy));
            var operations = copy.Disk.Trace.FindAll(static each => each.Changes);
            cases.AddRange(operations.SelectMany((operation,
                at) => Cases.CutsAround(operation).Select(during => new Case(kind, whole, start, at + 1, during, operation.ToString()))));
        }
        Cases.TryEach(Cases.Some(cases, 8), each => Try(each, repair, check), output);
    }

    private static int Try(Case each, Func<StorePlace, Func<StoreUnderRepair, StoreRepairReport>> repair, Action<IEventStore, WholeStore,
        StorePlace> check)
    {
        using var cut = StorePlace.On(each.Start.AfterPowerCut(new PowerCut(PowerCutMode.KeepsAll)));
        if (each.During)
            cut.Disk!.CutDuring(each.Operation);
        else
            cut.Disk!.CutAfter(each.Operation);
        try
        {
            cut.Repair(repair(cut));
        }
        catch (PowerCutException)
        {
            // Nobody hears anything more.
        }
        Assert.True(cut.Disk.IsOff);
        var states = 0;
        foreach (var powerCut in Cases.EachPowerCut())
        {
            foreach (var isOpenedBetween in (bool[])[false, true])
            {
                using var after = StorePlace.On(cut.Disk.AfterPowerCut(powerCut));
                try
                {
                    if (isOpenedBetween)
                        AssertNothingWrong(after, each.Whole);
                    var again = after.Repair(repair(after));
                    Assert.Empty(again.Remaining);
                    // Packed copies that the power cut tore are mended when they are read.
                    Assert.DoesNotContain(after.Check().Findings, static finding => finding.Kind != StoreFindingKind.IndexMismatch);
                    // What the repair has reported stays; only the index is derived again where the power cut took its end.
                    using var last = StorePlace.On(after.Disk!.AfterPowerCut(powerCut));
                    check(last.Open(), each.Whole, last);
                    last.CloseStores();
                    Assert.DoesNotContain(last.Check().Findings, static finding => finding.Kind != StoreFindingKind.IndexMismatch);
                }
                catch (Exception e)
                {
                    throw new InvalidOperationException($"{powerCut}, opened between: {isOpenedBetween}: {e.Message}", e);
                }
                states++;
            }
        }
        return states;
    }

    // Who opens the store before the repair is run again is refused, or sees what is right as far as it goes.
    private static void AssertNothingWrong(StorePlace place, WholeStore whole)
    {
        foreach (var readOnly in (bool[])[true, false])
        {
            try
            {
                var events = Promises.Read(place.Open(options => options.ReadOnly = readOnly), Query.All);
                Assert.Equal(whole.Events.Take(events.Count).Select(e => (e.Position, e.Id)), events.Select(e => (e.Position, e.Id)));
            }
            catch (StoreDamagedException)
            {
                // The damage that is being repaired.
            }
            place.CloseStores();
        }
    }

    private sealed record Case(VolumeKind Kind, WholeStore Whole, SimulatedDisk Start, int Operation, bool During, string What)
    {
        public override string ToString() => $"on {Kind}, cut {(During ? "during" : "after")} operation {Operation} ({What})";
    }
}
