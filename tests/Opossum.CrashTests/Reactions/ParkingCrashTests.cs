using Opossum.Following;
using Opossum.Reactions.Files;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Begin = Opossum.Tests.Reactions.SteppedReaction.Begin;

namespace Opossum.Tests.Reactions;

/// <summary>
/// A leader is interrupted at each of its file operations while it parks an event, retries it, skips it, or handles events again. The next one has
/// the same decision or the one before, and the request is carried out.
/// </summary>
public sealed class ParkingCrashTests(ITestOutputHelper output)
{
    private const long Failing = 1;

    internal static CrashScenario[] CrashScenarios { get; } = [.. Enum.GetValues<What>().Select(Crash)];

    [Fact]
    public void Power_cut_at_each_operation_leaves_the_event_parked_or_not_and_its_key_in_order() =>
        Cases.TryEach(CrashCut.Groups(CrashScenarios, VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.5);

    [Fact]
    public void Kill_at_each_operation_leaves_the_event_parked_or_not_and_its_key_in_order()
    {
        var groups =
            from what in Enum.GetValues<What>()
            from kind in VolumeKinds.All
            select new CaseGroup<CrashCase>(() => CasesOf(new Start(what, kind)));
        Cases.TryEach(groups, Kill, output, share: 0.25);
    }

    private static CrashScenario Crash(What what) => new($"parking: {what}", kind =>
    {
        var start = new Start(what, kind);
        return () =>
        {
            var life = new Life(start);
            return CrashRun.Of(life.Process.Client.Disk, life.Play, (left, _, _) => life.CheckNext(left));
        };
    });

    private static List<CrashCase> CasesOf(Start start)
    {
        var life = new Life(start);
        life.Process.Client.Disk.Trace = [];
        life.Play();
        return [.. Cut.AfterEach(life.Process.Client.Disk.Trace).Select(cut => new CrashCase(start, cut))];
    }

    private static int Kill(CrashCase each)
    {
        var life = new Life(each.Start);
        life.Process.Client.KillAfter(each.Cut.Operation);
        Attempt.UntilTheEnd(life.Play);
        life.CheckNext(life.Process.Client.Disk);
        return 1;
    }

    private enum What
    {
        Park,
        Retry,
        Skip,
        Again,
    }

    private sealed record CrashCase(Start Start, Cut Cut)
    {
        public override string ToString() => $"kill of {Start.What} on {Start.Kind}, {Cut}";
    }

    // A store with the events 1 (a), 2 (b), 3 (a), 4 (a), of which the first fails.
    private sealed class Start
    {
        public Start(What what, VolumeKind kind)
        {
            (What, Kind) = (what, kind);
            var disk = new SimulatedDisk(kind, new SimulatedClock());
            var first = Life.NewProcess(disk, Begins, static () => true);
            first.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
            first.Append(RecordingReaction.Paid("a"), RecordingReaction.Paid("a"));
            if (what != What.Park)
            {
                first.Run();
                Assert.Equal([2], Begins.Select(static each => each.Position).Where(static each => each != Failing));
            }
            first.Stop();
            Disk = disk.Copy();
        }

        public What What { get; }

        public VolumeKind Kind { get; }

        public SimulatedDisk Disk { get; }

        public List<Begin> Begins { get; } = [];
    }

    // A process on it, where the first event fails as long as it is said to.
    private sealed class Life
    {
        private readonly What what;
        private readonly List<Begin> begins;
        private bool fails = true;

        public Life(Start start)
        {
            what = start.What;
            begins = [.. start.Begins];
            Process = NewProcess(start.Disk.Copy(), begins, () => fails);
        }

        public SteppedReaction Process { get; }

        public void Play()
        {
            Process.Run();
            Ask(Process);
            Process.Run();
        }

        public void CheckNext(SimulatedDisk disk)
        {
            var seen = begins.ToList();
            var stillFails = true;
            var next = NewProcess(disk, seen, () => stillFails);
            next.Run();
            Assert.True(next.Leads);
            Assert.Null(next.Halted);
            var parked = next.Parked;
            var skipped = ReactionLayout.Positions(next.Client, next.Layout.Skipped);
            // The waiting events of the key were not handled before the parked one was handled or skipped.
            if (parked.Count > 0)
            {
                Assert.Equal([Failing], parked);
                Assert.Null(ParkedFile.Read(next.Client, next.Layout, Failing).Problem);
                Assert.DoesNotContain(seen, static each => each.Position is 3 or 4 && each.Attempt == 0);
                stillFails = false;
                next.Ask(term => term.TryRetryAsync(Failing, CancellationToken.None).AsTask());
                next.Run();
            }
            Assert.Empty(next.Parked);
            Assert.Empty(ReactionLayout.Positions(next.Client, next.Layout.Parked));
            var sent = next.Sent();
            Assert.Equal(skipped.Count > 0 && !sent.Contains(Failing) ? [2, 3, 4] : [1, 2, 3, 4], sent.Order());
            Assert.Equal(sent.Count, sent.Distinct().Count());
            Assert.True(sent.IndexOf(3) < sent.IndexOf(4));
            Assert.True(sent.IndexOf(1) < sent.IndexOf(3));
        }

        public static SteppedReaction NewProcess(SimulatedDisk disk, List<Begin> begins, Func<bool> fails) =>
            new(disk.Attach(), begins, context =>
            {
                if (context.Event.Position == Failing && fails())
                    throw new InvalidOperationException("It fails.");
            }, retries: 1);

        private void Ask(SteppedReaction process)
        {
            switch (what)
            {
                case What.Retry:
                    fails = false;
                    process.Ask(static term => term.TryRetryAsync(Failing, CancellationToken.None).AsTask());
                    break;
                case What.Skip:
                    process.Ask(static term =>
                    {
                        term.Skip(LeaderRequest.Skip(Failing, "no"));
                        return Task.FromResult(true);
                    });
                    break;
                case What.Again:
                    fails = false;
                    process.Ask(static term => term.TryHandleAgainAsync(1, CancellationToken.None).AsTask());
                    break;
            }
        }
    }
}
