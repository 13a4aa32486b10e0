using Opossum.FileSystem;
using Opossum.Reactions.Files;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>Forgetting a person is interrupted at every operation; whatever interrupts it, a second call finishes it.</summary>
public sealed class InterruptedForgettingTests(ITestOutputHelper output)
{
    private static readonly VolumeKind[] kinds = [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs];

    private enum How
    {
        Kill,
        Cut,
        Failure,
    }

    [Fact]
    public void A_second_call_finishes_it() =>
        Cases.TryEach(kinds.Select(static kind => new CaseGroup<Case>(() => CasesOn(kind))), Interrupt, output, share: 0.5);

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Smb))]
    public void A_person_whose_key_is_gone_gets_no_other_one(string kind)
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
            var isGone = Promises.Read(store, Query.All)[0].LostMembers.Any(static each => each.Subject == Ann);
            var error = Record.Exception(() => Promises.Append(store, [new NewEvent(Registered())]));

            Assert.Equal(isGone, error is PersonalDataException);
            refused += isGone && !isOver ? 1 : 0;
        }
        Assert.InRange(refused, 5, int.MaxValue);
    }

    private static List<Case> CasesOn(VolumeKind kind)
    {
        var start = DiskWithAnn(kind);
        var disk = start.Copy();
        var client = disk.Attach();
        var changes = 0;
        using (var place = StorePlace.On(disk))
        {
            var store = place.Open(client, static options => options.PersonalData.MasterKey = Key);
            client.BeforeOperation = operation => changes += operation.Changes ? 1 : 0;
            store.ForgetAsync(Ann, "asked for it").GetAwaiter().GetResult();
            client.BeforeOperation = null;
        }
        return [.. from at in Enumerable.Range(0, changes) from how in Enum.GetValues<How>() select new Case(kind, start, how, at)];
    }

    private static SimulatedDisk DiskWithAnn(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        using var place = StorePlace.On(disk);
        place.OpenCustomers(Key).AppendAsync([new NewEvent(Registered())]).GetAwaiter().GetResult();
        using var files = disk.Attach();
        place.CreateFolder(FilePath.Join(place.Layout.Reactions, "mails"));
        ParkedFile.Write(files, new ReactionLayout(place.Layout.Reactions, "mails"), new ParkedEvent
        {
            Position = 1,
            ParkedAt = DateTimeOffset.UnixEpoch,
            Attempts = [new ReactionAttempt(1, DateTimeOffset.UnixEpoch, "no mailbox ann@example.org")],
        });
        return disk;
    }

    private static int Interrupt(Case interrupted)
    {
        var (_, start, how, at) = interrupted;
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
                if (how == How.Failure)
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
        Assert.True(wasReached);
        var states = 0;
        foreach (var left in Left(disk, how, at))
        {
            states++;
            using var place = StorePlace.On(left);
            var isBegun = place.Snapshot(place.Layout.Keys).Keys.Any(path => path.EndsWith(".forgetting", StringComparison.Ordinal));
            var report = place.Check();
            Assert.Equal(isBegun, report.Findings.Any(each => each.Kind == StoreFindingKind.UnfinishedForgetting));
            var store = place.OpenCustomers(Key);
            store.ForgetAsync(Ann, "asked again").GetAwaiter().GetResult();
            Assert.All(store.ReadAllAsync().GetAwaiter().GetResult()[0].LostMembers.Where(each => each.Subject == Ann),
                each => Assert.Equal(LostMemberReason.Forgotten, each.Reason));
            Assert.Equal(4, store.ReadAllAsync().GetAwaiter().GetResult()[0].LostMembers.Count);
            Assert.Equal([2], store.PositionsAsync(Query.For<PersonForgotten>(Ann)).GetAwaiter().GetResult());
            Assert.All(place.Snapshot(place.Layout.Reactions),
                static each => Assert.False(each.Value.AsSpan().IndexOf("ann@example.org"u8) >= 0, each.Key));
            place.CloseStores();
            Assert.Equal([], place.Check().Findings);
        }
        return states;
    }

    private static IEnumerable<SimulatedDisk> Left(SimulatedDisk disk, How how, int at) => how == How.Cut
        ? [disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)), disk.AfterPowerCut(new PowerCut(PowerCutMode.Random, at))]
        : [disk];

    // The number of the operation, among those that change something.
    private sealed record Case(VolumeKind Kind, SimulatedDisk Start, How How, int At)
    {
        public override string ToString() => $"{Kind}, {How} at change {At}";
    }
}
