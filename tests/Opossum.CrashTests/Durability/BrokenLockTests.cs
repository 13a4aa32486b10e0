using System.Text;
using System.Text.RegularExpressions;
using Opossum.FileSystem;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>
/// Two hosts on one share, where the lock does not keep them apart or is lost without a word, and what one knows of the other's files is up
/// to 10 s old. Whole appends of the one happen in the middle of the other's.
/// </summary>
public sealed partial class BrokenLockTests(ITestOutputHelper output)
{
    private static readonly TimeSpan staleFor = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan[] patiences = [TimeSpan.Zero, TimeSpan.FromSeconds(5)];

    // What the lock does while the other host appends, and what happens to the operation after it.
    private static readonly Breakage[] breakages =
    [
        new("a lock that keeps nobody out", static disk => disk.LockReach = LockReach.OwnClient, static _ => { }, static _ => { }),
        new("a lock that is lost", static _ => { }, static client => client.LoseConnection(), static _ => { }),
        new("a lock that is lost before an operation fails", static _ => { }, static client => client.LoseConnection(),
            static operation => operation.Client.Disk.FailNext(operation.Kind)),
    ];

    [Fact]
    public void Lock_that_is_broken_in_the_middle_costs_no_acknowledged_append()
    {
        (int[], int[])[] sizes = [([1], [1]), ([3], [1]), ([3], [2]), ([1], [4]), ([1, 2], [1, 1])];
        var groups =
            from breakage in breakages
            from kind in VolumeKinds.Network
            from patience in patiences
            from staleness in (TimeSpan[])[TimeSpan.Zero, staleFor]
            from leftover in (bool[])[false, true]
            from size in sizes
            select new CaseGroup<BrokenCase>(() =>
            {
                var probe = new BrokenCase(breakage, kind, patience, staleness, leftover, size.Item1, size.Item2, int.MaxValue, "");
                Run(probe, out var operations);
                return
                [
                    .. operations.Select((what, at) => probe with { Operation = at, What = what }),
                    .. operations.Select((what, at) => probe with { Operation = at, What = what, Again = at }),
                ];
            });
        Cases.TryEach(groups, static each => Run(each, out _), output, share: 0.5);
    }

    [Fact]
    public void Lock_that_is_lost_while_a_failed_append_is_taken_back_costs_no_acknowledged_append()
    {
        (int[], int[])[] sizes = [([1], [1]), ([3], [1]), ([3], [3]), ([1, 2], [2, 1])];
        var groups =
            from kind in VolumeKinds.Network
            from patience in patiences
            from size in sizes
            select new CaseGroup<BrokenCase>(() => AfterFailures(
                new BrokenCase(Breakage.None, kind, patience, TimeSpan.Zero, Leftover: false, size.Item1, size.Item2, int.MaxValue, "")));
        Cases.TryEach(groups, static each => Run(each, out _), output, share: 0.25);

        static List<BrokenCase> AfterFailures(BrokenCase whole)
        {
            var cases = new List<BrokenCase>();
            Run(whole, out var operations);
            foreach (var failing in Enumerable.Range(0, operations.Count)
                .Where(at => operations[at].Contains("/Events/", StringComparison.Ordinal)))
            {
                var failed = whole with { FailAt = failing, What = operations[failing] };
                Run(failed, out var until);
                cases.AddRange(Enumerable.Range(failing + 1, until.Count - failing - 1)
                    .Select(at => failed with
                    {
                        Breakage = breakages[1],
                        Operation = at,
                        What = $"{until[at]}, after {operations[failing]} had failed",
                    }));
            }
            return cases;
        }
    }

    [Fact]
    public void Hosts_that_make_one_folder_a_store_at_the_same_moment_share_it() => Cases.TryEach(
        VolumeKinds.Network.Select(static kind => new CaseGroup<(VolumeKind Kind, int At)>(() =>
            [.. Enumerable.Range(0, OpenWhileAnotherOpens(kind, int.MaxValue)).Select(at => (kind, at))])),
        static each => Math.Sign(OpenWhileAnotherOpens(each.Kind, each.At)), output, share: 0.25);

    [Fact]
    public void Host_that_waits_for_the_lock_does_not_disturb_the_one_that_has_it()
    {
        foreach (var kind in VolumeKinds.Network)
        {
            var disk = new SimulatedDisk(kind, new SimulatedClock());
            var history = new History();
            Scenarios.Append(1)(disk, history);
            var first = SteppedStore.Open(disk.Attach(staleFor));
            var second = SteppedStore.Open(disk.Attach(staleFor), lockTimeout: TimeSpan.FromMilliseconds(100));
            second.Append(history.New());
            var refused = history.New();
            first.Client.BeforeOperation = operation =>
            {
                if (operation.Kind != OperationKind.CreateNew)
                    return;
                first.Client.BeforeOperation = null;
                second.Append(refused);
            };
            var appended = history.New(2);
            first.Append(appended);
            Assert.IsType<StoreLockTimeoutException>(refused.Error);
            Assert.Null(appended.Error);
            Promises.Check(disk, history);
        }
    }

    [Fact]
    public void Hosts_whose_operations_mix_without_a_lock_that_works_lose_no_acknowledged_append() =>
        Cases.TrySeeds(6_000, Mix, output, share: 0.5);

    [Fact]
    public void Stale_view_costs_no_acknowledged_append() =>
        Cases.TrySeeds(360, AppendInTurns, output, share: 0.25);

    // The first host appends; before one of its operations the second one appends as a whole. Then both go on.
    private static int Run(BrokenCase each, out List<string> operations)
    {
        var disk = new SimulatedDisk(each.Kind, new SimulatedClock());
        var history = new History();
        Scenarios.Append(2)(disk, history);
        each.Breakage.BreakLock(disk);
        var first = SteppedStore.Open(disk.Attach(each.Staleness), patience: each.Patience);
        var second = SteppedStore.Open(disk.Attach(each.Staleness), patience: each.Patience);
        if (each.Leftover)
            FaultScenarios.KillAmidFiles(disk, history.New(2));
        var seen = new List<string>();
        var isInside = false;
        first.Client.BeforeOperation = operation =>
        {
            if (isInside)
                return;
            // What is done again and again while something is waited for is few places.
            var what = NewName().Replace(operation.ToString(), ".new");
            if (seen.Count(each => each == what) == 3)
                return;
            seen.Add(what);
            if (seen.Count - 1 == each.FailAt)
                disk.FailNext(operation.Kind);
            if (seen.Count - 1 != each.Operation
                && !(seen.Count > each.Operation && each.Again is { } seed && new Random(seed + seen.Count).Next(8) == 0))
            {
                return;
            }

            isInside = true;
            each.Breakage.LoseLock(first.Client);
            second.Append([.. each.Second.Select(events => Unique(history, events))]);
            second.Append(history.New(1, Condition(history)));
            isInside = false;
            each.Breakage.Disturb(operation);
        };
        first.Append([.. each.First.Select(events => Unique(history, events))]);
        operations = [.. seen];
        isInside = true;
        disk.Mend();
        try
        {
            CheckAndGoOn(disk, history, first, second);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"{e.Message}{Environment.NewLine}{history}", e);
        }
        return 1;
    }


    private static void CheckAndGoOn(SimulatedDisk disk, History history, SteppedStore first, SteppedStore second)
    {
        second.Append(history.New(2, Condition(history)));
        first.Append(history.New());
        second.Append(history.New());
        disk.LockReach = LockReach.Everyone;
        ((SimulatedClock)disk.Clock).Advance(TimeSpan.FromMinutes(1));
        var ids = Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
        Promises.Check(disk, history);
        Assert.NotEmpty(ids);
    }

    // Before one of the operations by which the first host opens, the second one opens and appends, if the lock is free. Returns how many such
    // operations there are.
    private static int OpenWhileAnotherOpens(VolumeKind kind, int at)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        var history = new History();
        Array.ForEach([Path.GetDirectoryName(SteppedStore.Root)!, SteppedStore.Root], disk.Attach().CreateFolder);
        var client = disk.Attach(staleFor);
        SteppedStore? second = null;
        var (operations, storeFile) = (0, "");
        client.BeforeOperation = _ =>
        {
            if (operations++ != at)
                return;
            try
            {
                second = SteppedStore.Open(disk.Attach(staleFor), lockTimeout: TimeSpan.Zero);
                second.Append(history.New(2));
                storeFile = ReadStoreFile(disk);
            }
            catch (StoreLockTimeoutException)
            {
            }
        };
        var first = SteppedStore.Open(client);
        client.BeforeOperation = null;
        first.Append(history.New(2));
        second?.Append(history.New(2));
        first.Append(history.New(2));
        Assert.All(history.Attempts, attempt => Assert.True(attempt.Error is null or StoreLockTimeoutException, $"{attempt}"));
        if (second is not null)
            Assert.Equal(storeFile, ReadStoreFile(disk));
        Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
        Promises.Check(disk, history);
        return operations;
    }

    private static string ReadStoreFile(SimulatedDisk disk)
    {
        using var file = disk.Attach().Open($"{SteppedStore.Root}/{StoreLayout.StoreFileName}", FileOpening.Read)!;
        var bytes = new byte[1000];
        return Encoding.UTF8.GetString(bytes, 0, file.Read(bytes, 0));
    }

    // Appends in turns on both, while the clock passes in small steps, so that each knows the other's files as they were.
    private static int AppendInTurns(int seed)
    {
        var random = new Random(seed);
        var clock = new SimulatedClock();
        var disk = new SimulatedDisk(VolumeKinds.Network[seed % VolumeKinds.Network.Length], clock)
        {
            OperationTime = TimeSpan.FromMilliseconds(random.Next(50)),
        };
        var history = new History();
        Scenarios.Append(1)(disk, history);
        var stores = Enumerable.Range(0, 3).Select(_ => SteppedStore.Open(disk.Attach(TimeSpan.FromSeconds(random.Next(11))))).ToList();
        for (var turn = 0; turn < 30; turn++)
        {
            var store = stores[random.Next(stores.Count)];
            var group = Enumerable.Range(0, random.Next(1, 3)).Select(_ => random.Next(3) switch
            {
                0 => history.New(random.Next(1, 4)),
                1 => history.NewUnique($"u{random.Next(6)}", random.Next(1, 3)),
                _ => history.New(1, Condition(history)),
            }).ToArray();
            store.Append(group);
            Assert.All(group, attempt => Assert.True(attempt.Error is null or AppendConditionFailedException, $"{attempt}"));
            clock.Advance(TimeSpan.FromMilliseconds(random.Next(3_000)));
        }
        Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
        Promises.Check(disk, history);
        return 2;
    }

    // Three hosts append at the same time, operation by operation. The lock keeps nobody out, or is lost now and then.
    private static int Mix(int seed)
    {
        var random = new Random(seed);
        // No two hosts append in the same 100 ns.
        var clock = new SimulatedClock();
        var disk = new SimulatedDisk(VolumeKinds.Network[seed % VolumeKinds.Network.Length], clock)
        {
            OperationTime = TimeSpan.FromMilliseconds(random.Next(1, 20)),
        };
        var history = new History();
        Scenarios.Append(1)(disk, history);
        if (random.Next(2) == 0)
            disk.LockReach = LockReach.OwnClient;
        var clients = Enumerable.Range(0, 3).Select(_ => disk.Attach(TimeSpan.FromSeconds(random.Next(11)))).ToList();
        var hosts = new Interleaving(random) { Meanwhile = () => LoseLockNowAndThen(random, clients) };
        foreach (var client in clients)
            hosts.Add(client, () => AppendSome(client, history, random));
        try
        {
            hosts.Run();
            disk.LockReach = LockReach.Everyone;
            clock.Advance(TimeSpan.FromMinutes(1));
            Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
            Promises.Check(disk, history);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"{e.Message}{Environment.NewLine}{history}", e);
        }
        return 2;
    }

    private static void LoseLockNowAndThen(Random random, List<SimulatedFileSystem> clients)
    {
        if (random.Next(40) == 0)
            clients[random.Next(clients.Count)].LoseConnection();
    }

    // A store that is faulted is opened again.
    private static void AppendSome(SimulatedFileSystem client, History history, Random random)
    {
        SteppedStore? store = null;
        for (var left = 4; left > 0; left--)
        {
            try
            {
                store ??= SteppedStore.Open(client);
            }
            catch (StoreOpenException)
            {
                continue;
            }
            Attempt[] group = [Unique(history, random.Next(1, 3)), history.New(random.Next(1, 4)), history.New(1, Condition(history))];
            store.Append(group);
            if (group.Any(static attempt => attempt.Error is StoreFaultedException))
                store = null;
        }
    }

    [GeneratedRegex(@"\.[0-9a-f]{32}\.new")]
    private static partial Regex NewName();

    private static Attempt Unique(History history, int events) => history.NewUnique("contested", events);

    // What a caller knows that has just read everything that was acknowledged.
    private static AppendCondition Condition(History history) =>
        new(Query.FromTags(new Tag("third", "t1")), history.Attempts.Max(each => each.Result?.LastPosition ?? 0));

    private sealed record Breakage(string Name, Action<SimulatedDisk> BreakLock, Action<SimulatedFileSystem> LoseLock,
        Action<SimulatedOperation> Disturb)
    {
        public static Breakage None { get; } = new("a lock", static _ => { }, static _ => { }, static _ => { });
    }

    private sealed record BrokenCase(Breakage Breakage, VolumeKind Kind, TimeSpan Patience, TimeSpan Staleness, bool Leftover, int[] First,
        int[] Second,
        int Operation, string What, int? Again = null, int? FailAt = null)
    {
        public override string ToString() =>
            $"{Breakage.Name} on {Kind}, patience {Patience.TotalSeconds} s, staleness {Staleness.TotalSeconds} s,"
                + $"{(Leftover ? " after a crash's leftover," : "")} "
                + $"{string.Join("+", Second)} events while {string.Join("+", First)} are appended, before operation {Operation} "
                + $"({What}){(Again is { } seed ? $" and before later ones, seed {seed}" : "")}";
    }
}
