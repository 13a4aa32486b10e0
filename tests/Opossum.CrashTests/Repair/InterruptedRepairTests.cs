using System.Text;
using Opossum.Maintenance;
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
    private static readonly Interruption[] all =
    [
        new("a rebuild of the index",
            static (place, _) => place.Patch(place.Layout.IndexFile, 100, [0xFF, 0xFF]),
            static _ => Remedies.RebuildIndex,
            static (store, whole, _) => whole.AssertAnswers(store, 10)),
        new("a restoration from the index",
            static (place, _) =>
            {
                foreach (var position in (int[])[2, 3, 4, 7, 10])
                    place.Delete(place.Layout.EventFile(position));
                place.Put(place.Layout.EventFile(3), "bad"u8);
                place.Put(place.Layout.EventFile(10), []);
            },
            static _ => Remedies.RestoreFromIndex,
            static (store, whole, _) => whole.AssertAnswers(store, 10)),
        RestorationFromFolder(hasIndex: true),
        RestorationFromFolder(hasIndex: false),
        new("an acceptance of an edited file",
            static (place, whole) =>
                place.Put(place.Layout.EventFile(5),
                    Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(whole.Files[place.Layout.EventFile(5)]!).Replace("\"a\": [", "\"EDITED\": [",
                        StringComparison.Ordinal))),
            static _ => Remedies.Accept(5),
            static (store, whole, _) =>
            {
                var events = Promises.Read(store, Query.All);
                Assert.Equal(whole.Events.Select(e => (e.Position, e.Id)), events.Select(e => (e.Position, e.Id)));
                Assert.Contains("EDITED", Encoding.UTF8.GetString(events[4].Json.Span), StringComparison.Ordinal);
            }),
        TruncationOf(hasIndex: true),
        TruncationOf(hasIndex: false),
    ];

    internal static CrashScenario[] CrashScenarios { get; } = [.. all.Select(Crash)];

    [Fact]
    public void Each_repair_may_be_interrupted_at_each_operation() =>
        Cases.TryEach(CrashCut.Groups(CrashScenarios, VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts);

    [Fact]
    public async Task Restoration_of_all_event_files_makes_their_folders_durable()
    {
        foreach (var kind in VolumeKinds.All)
        {
            using var before = StorePlace.On(kind);
            var whole = await WholeStore.CreateAsync(before);
            using var files = before.Attach();
            files.RemoveFolder(before.Layout.Events);
            using var place = StorePlace.On(before.Disk!.Copy());
            place.Repair(Remedies.RestoreFromIndex);
            using var after = StorePlace.On(place.Disk!.AfterPowerCut(new(PowerCutMode.LosesAll)));
            whole.AssertAnswers(after.Open(), 10);
        }
    }

    private static Interruption RestorationFromFolder(bool hasIndex) => new(
        $"a restoration from a folder {(hasIndex ? "with" : "without")} an index",
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
            place.Delete(place.Layout.Segment(0));
        },
        static _ => Remedies.RestoreFrom("/backup"),
        static (store, whole, _) => whole.AssertAnswers(store, 10));

    private static Interruption TruncationOf(bool hasIndex) => new(
        $"a truncation {(hasIndex ? "with" : "without")} an index",
        (place, _) =>
        {
            place.Delete(place.Layout.EventFile(6));
            place.Put(place.Layout.EventFile(8), "bad"u8);
            if (hasIndex)
                return;
            place.Delete(place.Layout.IndexFile);
            place.Delete(place.Layout.Segment(0));
        },
        static _ => Remedies.Truncate(5),
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

    private static CrashScenario Crash(Interruption repair) => new(repair.Name, kind =>
    {
        using var place = StorePlace.On(kind);
        var whole = WholeStore.CreateAsync(place).GetAwaiter().GetResult();
        repair.Damage(place, whole);
        var start = place.Disk!.Copy();
        place.Repair(repair.Repair(place));
        var setAside = place.Snapshot(place.Layout.Quarantine);
        return () =>
        {
            var disk = start.Copy();
            return CrashRun.Of(disk, Play, CheckLeft);

            void Play()
            {
                using var place = StorePlace.On(disk);
                place.Repair(repair.Repair(place));
            }

            void CheckLeft(SimulatedDisk left, PowerCut cut, bool isDone)
            {
                if (isDone)
                {
                    using var done = StorePlace.On(left.Copy());
                    Assert.Equal(setAside, done.Snapshot(done.Layout.Quarantine));
                    CheckRepaired(repair, whole, left.Copy());
                }
                CheckAfter(repair, whole, left, cut);
            }
        };
    });

    private static void CheckAfter(Interruption repair, WholeStore whole, SimulatedDisk left, PowerCut cut)
    {
        foreach (var isOpenedBetween in (bool[])[false, true])
        {
            using var after = StorePlace.On(left.Copy());
            if (isOpenedBetween)
                AssertNothingWrong(after, whole);
            var again = after.Repair(repair.Repair(after));
            Assert.Empty(again.Remaining);
            // Lines that the power cut tore are mended by a commit after they were read.
            Assert.DoesNotContain(after.Check().Findings, static finding => finding.Kind != FindingKind.IndexMismatch);
            CheckRepaired(repair, whole, after.Disk!.AfterPowerCut(cut));
        }
    }

    // What the repair has reported stays; only the index is derived again where the power cut took its end.
    private static void CheckRepaired(Interruption repair, WholeStore whole, SimulatedDisk disk)
    {
        using var place = StorePlace.On(disk);
        repair.Check(place.Open(), whole, place);
        place.CloseStores();
        Assert.DoesNotContain(place.Check().Findings, static finding => finding.Kind != FindingKind.IndexMismatch);
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

    private sealed record Interruption(string Name, Action<StorePlace, WholeStore> Damage,
        Func<StorePlace, Func<StoreUnderRepair, RepairReport>> Repair, Action<IEventStore, WholeStore, StorePlace> Check);
}
