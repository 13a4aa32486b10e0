using Opossum.FileSystem;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Subscriptions;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>A person is forgotten, whatever interrupts it.</summary>
public sealed class ForgettingTests : IDisposable
{
    private readonly HandDrivenClock clock = new();
    private readonly StorePlace place;

    public ForgettingTests() => place = StorePlace.On(VolumeKind.Ext4, clock);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task A_forgotten_person_is_unreadable_and_no_event_file_has_changed()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered()), new NewEvent(Registered("c2"))]);
        var before = place.Snapshot(place.Layout.Events);

        var result = await store.ForgetAsync(Ann, "asked for it");

        Assert.Equal(new ForgetResult(Ann, clock.GetUtcNow(), 3, HadKey: true), result);
        var events = await store.ReadAllAsync();
        Assert.Equal([LostMemberReason.Forgotten], events[0].LostMembers.Where(each => each.Subject == Ann).Select(each => each.Reason).Distinct());
        Assert.Equal((null, "(forgotten)"), events[0].Data is CustomerRegistered ann ? (ann.Name, ann.Email) : default);
        Assert.Equivalent(Registered("c2"), events[1].Data);
        Assert.Equal(new PersonForgotten("customer:c1", "asked for it"), events[2].Data);
        Assert.Equal([Ann], events[2].Tags);
        var after = place.Snapshot(place.Layout.Events);
        Assert.All(before, each => Assert.Equal(each.Value, after[each.Key]));
        Assert.Equal([2], await store.PositionsAsync(Query.FromTags(new Tag("customer", "c2"))));
        place.AssertClean();
    }

    [Fact]
    public async Task A_person_is_forgotten_once_and_never_gets_a_key_again()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        await store.ForgetAsync(Ann, "asked for it");

        var again = await store.ForgetAsync(Ann, "another reason");

        Assert.True(again.WasForgotten);
        Assert.Equal(2, await store.GetHeadAsync());
        foreach (var each in new[] { store, place.OpenCustomers(Key) })
        {
            var refused = await Assert.ThrowsAsync<PersonalDataException>(() => each.AppendAsync([new NewEvent(Registered())]));
            Assert.Contains("customer:c1, who was forgotten on 2026-01-01", refused.Message, StringComparison.Ordinal);
            Assert.False(refused.IsTransient);
        }
        Assert.Equal(2, await store.GetHeadAsync());
    }

    [Fact]
    public async Task A_person_without_personal_data_can_be_forgotten_in_advance()
    {
        var store = place.OpenCustomers(Key);

        var result = await store.ForgetAsync(Ann, "asked for it");

        Assert.Equal((false, 1L), (result.HadKey, result.Position));
        await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered())]));
    }

    [Fact]
    public async Task Another_process_drops_the_key_within_a_second()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        var other = place.OpenCustomers(Key);
        Assert.Empty((await other.ReadAllAsync())[0].LostMembers);

        await store.ForgetAsync(Ann, "asked for it");
        Assert.Empty((await other.ReadAllAsync())[0].LostMembers);
        clock.Advance(TimeSpan.FromSeconds(0.5));

        Assert.Equal(6 - 2, (await other.ReadAllAsync())[0].LostMembers.Count);
        await Assert.ThrowsAsync<PersonalDataException>(() => other.AppendAsync([new NewEvent(Registered())]));
    }

    [Fact]
    public async Task Another_process_drops_the_key_within_a_minute_when_the_one_that_forgets_dies()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        var other = place.OpenCustomers(Key);
        Assert.Empty((await other.ReadAllAsync())[0].LostMembers);
        var client = place.Disk!.Attach();
        var dying = place.Open(client, options => options.PersonalData.MasterKey = Key);
        client.BeforeOperation = operation =>
        {
            if (operation.Changes && operation.Path.StartsWith(place.Layout.Events, StringComparison.Ordinal))
                client.Kill();
        };
        await Assert.ThrowsAnyAsync<Exception>(() => dying.ForgetAsync(Ann, "asked for it"));

        for (var half = 0; half < 121; half++)
            clock.Advance(TimeSpan.FromSeconds(0.5));

        Assert.Equal(4, (await other.ReadAllAsync())[0].LostMembers.Count);
    }

    [Fact]
    public void Whatever_interrupts_it_a_second_call_finishes_it()
    {
        var kinds = new[] { VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs };
        foreach (var kind in kinds)
        {
            var start = DiskWithAnn(kind);
            foreach (var how in new[] { Interruption.Kill, Interruption.Cut, Interruption.Failure })
            {
                for (var at = 0; Interrupt(start, how, at); at++)
                    ;
            }
        }
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Smb))]
    public void Whatever_interrupts_it_a_person_whose_key_is_gone_gets_no_other_one(string kind)
    {
        var start = DiskWithAnn(Enum.Parse<VolumeKind>(kind));
        var refused = 0;
        for (var (at, isOver) = (0, false); !isOver; at++)
        {
            using var place = StorePlace.On(start.Copy());
            var client = place.Disk!.Attach();
            var dying = place.Open(client, options => options.PersonalData.MasterKey = Key);
            var changes = 0;
            client.BeforeOperation = operation =>
            {
                if (operation.Changes && changes++ == at)
                    client.Kill();
            };
            isOver = Record.Exception(() => dying.ForgetAsync(Ann, "asked for it").GetAwaiter().GetResult()) is null;
            client.BeforeOperation = null;

            var store = place.OpenCustomers(Key);
            var isGone = store.ReadAllAsync().GetAwaiter().GetResult()[0].LostMembers.Any(static each => each.Subject == Ann);
            var error = Record.Exception(() => store.AppendAsync([new NewEvent(Registered())]).GetAwaiter().GetResult());

            Assert.Equal(isGone, error is PersonalDataException);
            refused += isGone && !isOver ? 1 : 0;
        }
        Assert.InRange(refused, 5, int.MaxValue);
    }

    private static SimulatedDisk DiskWithAnn(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        using var place = StorePlace.On(disk);
        place.OpenCustomers(Key).AppendAsync([new NewEvent(Registered())]).GetAwaiter().GetResult();
        return disk;
    }

    private enum Interruption
    {
        Kill,
        Cut,
        Failure,
    }

    // False: there is no such operation any more.
    private static bool Interrupt(SimulatedDisk start, Interruption how, int at)
    {
        var disk = start.Copy();
        var client = disk.Attach();
        var changes = 0;
        var wasReached = false;
        Attempt.UntilTheEnd(() =>
        {
            using var place = StorePlace.On(disk);
            var store = place.Open(client, options => options.PersonalData.MasterKey = Key);
            client.BeforeOperation = operation =>
            {
                if (!operation.Changes || changes++ != at)
                    return;
                wasReached = true;
                if (how == Interruption.Failure)
                    throw new FileSystemException(FileError.DiskFull, "write to", operation.Path, "the disk is full");
                client.Kill();
            };
            try
            {
                store.ForgetAsync(Ann, "asked for it").GetAwaiter().GetResult();
            }
            catch (Exception e) when (e is EventStoreException)
            {
                // The operation that failed; the caller calls again.
            }
            client.BeforeOperation = null;
        });
        foreach (var left in Left(disk, how, at))
        {
            using var place = StorePlace.On(left);
            var isBegun = place.Snapshot(place.Layout.Keys).Keys.Any(path => path.EndsWith(".forgetting", StringComparison.Ordinal));
            var report = place.Check();
            Assert.Equal(isBegun, report.Findings.Any(each => each.Kind == StoreFindingKind.UnfinishedForgetting));
            var store = place.OpenCustomers(Key);
            var result = store.ForgetAsync(Ann, "asked again").GetAwaiter().GetResult();
            Assert.True(wasReached || result.WasForgotten || isBegun);
            Assert.All(store.ReadAllAsync().GetAwaiter().GetResult()[0].LostMembers.Where(each => each.Subject == Ann),
                each => Assert.Equal(LostMemberReason.Forgotten, each.Reason));
            Assert.Equal(4, store.ReadAllAsync().GetAwaiter().GetResult()[0].LostMembers.Count);
            Assert.Equal([2], store.PositionsAsync(Query.For<PersonForgotten>(Ann)).GetAwaiter().GetResult());
            place.CloseStores();
            Assert.Equal([], place.Check().Findings);
        }
        return wasReached;
    }

    private static IEnumerable<SimulatedDisk> Left(SimulatedDisk disk, Interruption how, int at) => how == Interruption.Cut
        ? [disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)), disk.AfterPowerCut(new PowerCut(PowerCutMode.Random, at))]
        : [disk];
}
