using Opossum.Maintenance;
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
    internal static CrashScenario[] CrashScenarios { get; } = [Crash("a redaction"), Crash("a redaction after a journal", useJournal: true)];

    private static CrashScenario Crash(string name, bool useJournal = false) => new(name, kind =>
    {
        using var place = StorePlace.On(kind);
        var before = CreateAsync(place, useJournal).GetAwaiter().GetResult();
        if (!useJournal)
            place.Put($"{place.Layout.Quarantine}/20261121T124944.285Z/0000000003.json", place.Bytes(place.Layout.EventFile(3)));
        place.Put($"{place.Layout.Projections}/customers/live.0000000101/model.json", "{}"u8);
        int? places = useJournal ? null : WhereItIs(place).Count;
        var start = place.Disk!.Copy();
        return () =>
        {
            var disk = start.Copy();
            return CrashRun.Of(disk, Play, (left, cut, isDone) => CheckAfter(before, places, left, cut, isDone));

            void Play()
            {
                using var place = StorePlace.On(disk);
                if (useJournal)
                {
                    // It writes the files of the lines, and notes, without a flush, that all are there.
                    place.Open();
                    place.CloseStores();
                }
                Redact(place);
            }
        };
    });

    [Fact]
    public void A_redaction() => Cases.TryEach(CrashCut.Groups(CrashScenarios[..1], VolumeKinds.All)
        .Concat(CrashCut.Groups(CrashScenarios[1..], VolumeKinds.Local)), CrashCut.Try, output, Cases.PowerCuts, share: 0.5);

    private static RedactionReport Redact(StorePlace place) => place.Repair(Remedies.Redact(place.Clock, Positions, Members));

    private static void CheckAfter(IReadOnlyList<SequencedEvent> before, int? places, SimulatedDisk left, PowerCut cut, bool isDone)
    {
        if (isDone)
            CheckRedacted(before, left.Copy());
        foreach (var isUsedBetween in (bool[])[false, true])
        {
            using var after = StorePlace.On(left.Copy());
            var isUnfinished = after.Exists(after.Layout.RedactionFile);
            Assert.Equal(isUnfinished, after.Check().Findings.Any(static finding => finding.Kind == FindingKind.UnfinishedRedaction));
            // What is neither begun nor ended must look as if it was the one or the other.
            if (!isUnfinished && places is { } all)
                Assert.Contains(WhereItIs(after).Count, (int[])[0, all]);
            if (isUsedBetween)
                Use(after, before, mayBringUp: places is null);
            Redact(after);
            Assert.Equal([], WhereItIs(after));
            Assert.DoesNotContain(after.Check().Findings, static finding => finding.Kind != FindingKind.IndexMismatch);
            CheckRedacted(before, after.Disk!.AfterPowerCut(cut));
        }
    }

    private static void CheckRedacted(IReadOnlyList<SequencedEvent> before, SimulatedDisk disk)
    {
        using var place = StorePlace.On(disk);
        Assert.Equal([], WhereItIs(place));
        Assert.Single(place.Snapshot($"{place.Layout.Projections}/customers/requests"),
            static file => file.Key.EndsWith(".json", StringComparison.Ordinal));
        AssertRedacted(before, Promises.Read(place.Open(), Query.All)[..before.Count]);
        place.CloseStores();
        // A power cut of a server may take back that the plan was deleted. Then it is carried out again.
        if (place.Disk!.Volume.IsNetwork)
            place.Repair(Remedies.FinishRedaction(place.Clock));
        Assert.DoesNotContain(place.Check().Findings, static finding => finding.Kind != FindingKind.IndexMismatch);
    }

    // Neither the opening nor the append brings back what the redaction has removed from the event files.
    private static void Use(StorePlace place, IReadOnlyList<SequencedEvent> before, bool mayBringUp)
    {
        var files = WhereItIs(place, place.Layout.Events);
        var store = place.Open();
        var events = Promises.Read(store, Query.All);
        Assert.Equal(before.Select(static e => (e.Position, e.Id)), events.Select(static e => (e.Position, e.Id)));
        store.AppendAsync([Events.New("opened")]).GetAwaiter().GetResult();
        place.CloseStores();
        if (!mayBringUp)
            Assert.Empty(WhereItIs(place, place.Layout.Events).Except(files));
    }
}
