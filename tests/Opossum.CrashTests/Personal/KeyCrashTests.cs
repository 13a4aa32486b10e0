using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>The power is cut while persons get their keys: whatever event is there can be read.</summary>
public sealed class KeyCrashTests(ITestOutputHelper output)
{
    private static readonly string[] customers = ["c1", "c2"];

    internal static CrashScenario Crash { get; } = new("keys of new persons", static kind => () =>
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        var told = 0;
        return CrashRun.Of(disk, Play, (left, cut, _) => CheckAfter(left, cut, told));

        void Play()
        {
            using var place = StorePlace.On(disk);
            var store = place.OpenCustomers(Key);
            foreach (var customer in customers)
            {
                Promises.Append(store, [new NewEvent(Registered(customer))]);
                told++;
            }
        }
    });

    [Fact]
    public void A_key_is_there_as_long_as_what_it_encrypts() =>
        Cases.TryEach(CrashCut.Groups([Crash], VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.25);

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4), false)]
    [InlineData(nameof(VolumeKind.Ext4), true)]
    [InlineData(nameof(VolumeKind.Btrfs), false)]
    [InlineData(nameof(VolumeKind.Posix), false)]
    public void A_key_whose_maker_did_not_flush_it_is_durable_before_another_process_uses_it(string kind, bool fails)
    {
        for (var (at, isOver) = (0, false); !isOver; at++)
        {
            var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
            using var place = StorePlace.On(disk);
            var client = disk.Attach();
            var dying = place.Open(client, static options =>
            {
                options.EventTypes.Add<CustomerRegistered>();
                options.PersonalData.MasterKey = Key;
            });
            var left = at;
            disk.Fail(new Fault
            {
                When = operation => fails && operation.Client == client && operation.Kind == OperationKind.Flush && IsNext(operation),
                DropsDirtyBytes = true,
            });
            client.BeforeOperation = operation =>
            {
                if (!fails && operation.Changes && IsNext(operation))
                    client.Kill();
            };
            isOver = Record.Exception(() => Promises.Append(dying, [new NewEvent(Registered())])) is null;
            client.BeforeOperation = null;
            Promises.Append(place.OpenCustomers(Key), [new NewEvent(Registered())]);

            foreach (var mode in (PowerCutMode[])[PowerCutMode.LosesAll, PowerCutMode.LosesNames])
            {
                using var after = StorePlace.On(disk.AfterPowerCut(new(mode)));
                Assert.All(Promises.Read(after.OpenCustomers(Key), Query.All), static each => Assert.Equivalent(Registered(), each.Data));
            }

            bool IsNext(SimulatedOperation operation) => operation.Path.Contains("/Keys", StringComparison.Ordinal) && left-- == 0;
        }
    }

    [Fact]
    public void What_a_killed_process_left_of_the_keys_is_durable_once_another_relies_on_it() => Cases.TryEach(
        from kind in VolumeKinds.All
        from keysFolder in (string?[])[null, "/keys/shop"]
        select new CaseGroup<KillCase>(() =>
        {
            var disk = new SimulatedDisk(kind, new SimulatedClock()) { Trace = [] };
            Register(disk, disk.Attach(), keysFolder, "c1");
            return [.. Cut.AfterEach(disk.Trace).Where(static cut => cut.What.Contains("/keys", StringComparison.OrdinalIgnoreCase)
                || cut.What.Contains("personal", StringComparison.Ordinal)).Select(cut => new KillCase(kind, keysFolder, cut))];
        }), Kill, output, share: 0.25);

    private static int Kill(KillCase each)
    {
        var disk = new SimulatedDisk(each.Kind, new SimulatedClock());
        var dying = disk.Attach();
        dying.KillAfter(each.Cut.Operation);
        Attempt.UntilTheEnd(() => Register(disk, dying, each.KeysFolder, "c1"));
        Register(disk, disk.Attach(), each.KeysFolder, "c2");
        PowerCut[] cuts = [new(PowerCutMode.LosesAll), new(PowerCutMode.Random, each.Cut.Operation)];
        foreach (var cut in cuts)
        {
            using var place = StorePlace.On(disk.AfterPowerCut(cut));
            var events = Promises.Read(Open(place, place.Disk!.Attach(), each.KeysFolder), Query.All);
            Assert.True(place.Exists(place.Layout.PersonalFile));
            Assert.All(events, static e => Assert.Empty(e.UnreadableMembers));
            Assert.Contains(events, static e => e.Data is CustomerRegistered { CustomerId: "c2" });
        }
        return cuts.Length;
    }

    private static void Register(SimulatedDisk disk, SimulatedFileSystem client, string? keysFolder, string customer)
    {
        using var place = StorePlace.On(disk);
        Promises.Append(Open(place, client, keysFolder), [new NewEvent(Registered(customer) with { Contacts = null })]);
    }

    private static FileSystemEventStore Open(StorePlace place, SimulatedFileSystem client, string? keysFolder) => place.Open(client, options =>
    {
        options.EventTypes.Add<CustomerRegistered>();
        options.PersonalData.MasterKey = Key;
        options.PersonalData.KeysFolder = keysFolder;
    });

    private sealed record KillCase(VolumeKind Kind, string? KeysFolder, Cut Cut)
    {
        public override string ToString() => $"killed on {Kind}, keys in {KeysFolder ?? "the store"}, {Cut}";
    }

    private static void CheckAfter(SimulatedDisk left, PowerCut cut, int told)
    {
        var found = CheckEvents(left);
        Assert.InRange(found, told, customers.Length);
        // A person whose key is there gets no other one, and one that was lost is made again.
        using (var place = StorePlace.On(left))
        {
            var store = place.OpenCustomers(Key);
            foreach (var customer in customers[found..])
                Promises.Append(store, [new NewEvent(Registered(customer))]);
        }
        Assert.Equal(customers.Length, CheckEvents(left.AfterPowerCut(cut)));
    }

    private static int CheckEvents(SimulatedDisk disk)
    {
        using var place = StorePlace.On(disk.Copy());
        var isNoted = place.Exists(place.Layout.PersonalFile);
        var events = Promises.Read(place.OpenCustomers(Key), Query.All);
        Assert.True(isNoted || events.Count == 0, "Nothing says which key the store needs.");
        foreach (var (customer, e) in customers.Zip(events))
            Assert.Equivalent(Registered(customer), e.Data);
        return events.Count;
    }
}
