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
