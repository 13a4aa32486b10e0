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

    private static readonly VolumeKind[] kinds =
        [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];

    [Theory]
    [InlineData(nameof(What.Park))]
    [InlineData(nameof(What.Retry))]
    [InlineData(nameof(What.Skip))]
    [InlineData(nameof(What.Again))]
    public void Power_cut_at_each_operation_leaves_the_event_parked_or_not_and_its_key_in_order(string name)
    {
        var what = Enum.Parse<What>(name);
        var cases = kinds.SelectMany(kind => CasesOf(what, kind)).ToList();
        Cases.TryEach(Cases.Some(cases, 4), Cut, output, Cases.PowerCuts);
    }

    [Theory]
    [InlineData(nameof(What.Park))]
    [InlineData(nameof(What.Retry))]
    [InlineData(nameof(What.Skip))]
    [InlineData(nameof(What.Again))]
    public void Kill_at_each_operation_leaves_the_event_parked_or_not_and_its_key_in_order(string name)
    {
        var what = Enum.Parse<What>(name);
        var cases = kinds.SelectMany(kind => CasesOf(what, kind)).Where(static each => !each.During).ToList();
        Cases.TryEach(Cases.Some(cases, 2), Kill, output);
    }

    private static IEnumerable<CrashCase> CasesOf(What what, VolumeKind kind)
    {
        var life = new Life(what, kind);
        life.Process.Client.Disk.Trace = [];
        life.Play();
        var operations = life.Process.Client.Disk.Trace.FindAll(static operation => operation.Changes);
        return operations.SelectMany((operation, at) =>
            Cases.CutsAround(operation).Select(during => new CrashCase(what, kind, at + 1, operation.ToString(), during)));
    }

    private static int Cut(CrashCase each)
    {
        var life = new Life(each.What, each.Kind);
        var disk = life.Process.Client.Disk;
        if (each.During)
            disk.CutDuring(each.Operation);
        else
            disk.CutAfter(each.Operation);
        Attempt.UntilTheEnd(life.Play);
        var states = 0;
        foreach (var cut in Cases.EachPowerCut())
        {
            life.CheckNext(disk.AfterPowerCut(cut));
            states++;
        }
        return states;
    }

    private static int Kill(CrashCase each)
    {
        var life = new Life(each.What, each.Kind);
        life.Process.Client.KillAfter(each.Operation);
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

    private sealed record CrashCase(What What, VolumeKind Kind, int Operation, string Described, bool During)
    {
        public override string ToString() => $"{What} on {Kind}, {(During ? "during" : "after")} operation {Operation} ({Described})";
    }

    // A store with the events 1 (a), 2 (b), 3 (a), 4 (a), of which the first fails as long as it is said to.
    private sealed class Life
    {
        private readonly What what;
        private readonly List<Begin> begins = [];
        private bool fails = true;

        public Life(What what, VolumeKind kind)
        {
            this.what = what;
            var disk = new SimulatedDisk(kind, new SimulatedClock());
            var first = NewProcess(disk, begins, () => true);
            first.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
            first.Append(RecordingReaction.Paid("a"), RecordingReaction.Paid("a"));
            if (what != What.Park)
            {
                first.Run();
                Assert.Equal([2], begins.Select(static each => each.Position).Where(static each => each != Failing));
            }
            first.Stop();
            Process = NewProcess(disk.AfterPowerCut(new PowerCut(PowerCutMode.KeepsAll)), begins, () => fails);
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

        private static SteppedReaction NewProcess(SimulatedDisk disk, List<Begin> begins, Func<bool> fails) =>
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
                        term.Skip(Failing, "no");
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
