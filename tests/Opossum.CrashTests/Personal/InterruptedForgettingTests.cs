using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Reactions.Files;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>Forgetting a person is interrupted at every operation; whatever interrupts it, a second call finishes it.</summary>
public sealed class InterruptedForgettingTests(ITestOutputHelper output)
{
    private static readonly VolumeKind[] kinds = [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs];

    internal static CrashScenario Crash { get; } = new("forgetting a person", static kind =>
    {
        var start = DiskWithAnn(kind);
        return () =>
        {
            var disk = start.Copy();
            return CrashRun.Of(disk, Play, CheckAfter);

            void Play()
            {
                using var place = StorePlace.On(disk);
                Forget(place.Open(static options => options.PersonalData.MasterKey = Key));
            }
        };
    });

    [Fact]
    public void A_second_call_finishes_it() =>
        Cases.TryEach(kinds.Select(static kind => new CaseGroup<Case>(() => CasesOn(kind))), Interrupt, output, share: 0.25);

    [Fact]
    public void A_second_call_finishes_it_after_a_power_cut() =>
        Cases.TryEach(CrashCut.Groups([Crash], kinds), CrashCut.Try, output, Cases.PowerCuts, share: 0.25);

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Smb))]
    public void A_person_whose_forgetting_has_begun_gets_no_further_values_and_no_other_key(string kind)
    {
        var start = DiskWithAnn(Enum.Parse<VolumeKind>(kind));
        var refused = 0;
        for (var (at, isOver) = (0, false); !isOver; at++)
        {
            using var place = StorePlace.On(start.Copy());
            isOver = ForgetUntilKilled(place, at);

            var store = place.OpenCustomers(Key);
            var gone = Promises.Read(store, Query.All)[0].UnreadableMembers.Where(static each => each.Subject == Ann).ToList();
            var isGone = gone.Count > 0;
            // A key that counted as missing would be restored from a backup, and the person remembered.
            Assert.All(gone, static each => Assert.Equal(UnreadableReason.Forgotten, each.Reason));
            var isBegun = HasBegun(place);
            var error = Record.Exception(() => Promises.Append(store, [new NewEvent(Registered())]));

            Assert.Equal(isBegun || isGone, error is PersonalDataException);
            refused += isGone && !isOver ? 1 : 0;
        }
        Assert.InRange(refused, 5, int.MaxValue);
    }

    [Fact]
    public async Task A_process_that_could_not_erase_a_person_s_key_appends_no_further_values_and_reads_what_is_to_be_searched_for()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.OpenCustomers(Key);
        Promises.Append(store, [new NewEvent(Registered())]);
        Promises.Append(store, [new NewEvent(Registered())]);
        var fault = place.Disk!.Fail(KeyOfAnnIsWritten());
        Assert.Throws<PersonalDataException>(() => Forget(store));
        Assert.Equal(1, fault.Hits);

        var error = Assert.Throws<PersonalDataException>(() => Promises.Append(store, [new NewEvent(Registered())]));

        Assert.Equal(Ann, error.ForgottenPerson);
        Assert.Empty(Promises.Read(store, Query.All)[0].UnreadableMembers);
        Assert.Null((await store.ForgetAsync(Ann, "asked again", TestContext.Current.CancellationToken)).NotSearched);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_process_that_could_not_erase_a_person_s_key_appends_no_values_under_the_person_s_other_name(bool hasOtherKey)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());
        var noted = new NewEvent(new Noted("Ann Archer"), Tag.Pseudonym("customer", "c1"));
        Promises.Append(store, [new NewEvent(Registered())]);
        if (hasOtherKey)
            Promises.Append(store, [noted]);
        place.Disk!.Fail(KeyOfAnnIsWritten());
        Assert.Throws<PersonalDataException>(() => Forget(store));

        Assert.NotNull(Assert.Throws<PersonalDataException>(() => Promises.Append(store, [noted with { Id = Guid.NewGuid() }])).ForgottenPerson);

        place.CloseStores();
        store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());
        Assert.NotNull(Assert.Throws<PersonalDataException>(() => Promises.Append(store, [noted with { Id = Guid.NewGuid() }])).ForgottenPerson);
        Forget(store);
        place.CloseStores();
        Assert.Equal([], place.Check().Findings);
    }

    [Fact]
    public void An_append_encrypts_nothing_with_a_key_that_a_forgetting_could_not_erase_meanwhile()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        Promises.Append(place.OpenCustomers(Key), [new NewEvent(Registered())]);
        place.CloseStores();
        using var client = place.Disk!.Attach();
        var store = place.Open(client, static options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            options.PersonalData.MasterKey = Key;
        });
        client.BeforeOperation = operation =>
        {
            // By then Ann's key was found.
            if (!operation.Path.EndsWith("person%3ap2.forgetting", StringComparison.Ordinal))
                return;
            client.BeforeOperation = null;
            place.Disk.Fail(KeyOfAnnIsWritten());
            Assert.Throws<PersonalDataException>(() => Forget(store));
        };

        Assert.Throws<PersonalDataException>(() => Promises.Append(store, [new NewEvent(Registered())]));

        Assert.Null(client.BeforeOperation);
        Assert.Single(Promises.Read(store, Query.All));
    }

    private static Fault KeyOfAnnIsWritten() => new()
    {
        When = static operation => operation.Kind == OperationKind.Write && operation.Path.EndsWith("customer%3ac1.json", StringComparison.Ordinal),
    };

    [Fact]
    public void A_person_of_two_names_is_either_known_by_both_or_said_to_be_half_forgotten()
    {
        var start = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        using (var place = StorePlace.On(start))
        {
            Promises.Append(place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>()),
                [new NewEvent(Registered()), new NewEvent(new Noted("Ann Archer"), Tag.Pseudonym("customer", "c1"))]);
        }
        for (var (at, isOver) = (0, false); !isOver; at++)
        {
            using var place = StorePlace.On(start.Copy());
            isOver = ForgetUntilKilled(place, at);

            var left = place.Snapshot(place.Layout.Keys).Count(static file =>
                file.Key.Contains("customer", StringComparison.Ordinal) && file.Value.AsSpan().IndexOf("\"key\""u8) >= 0);
            Assert.InRange(left, 0, isOver ? 0 : 2);
            if (left == 1)
                Assert.Contains(place.Check().Findings, static each => each.Remedy == Remedy.ForgetAgain);
        }
    }

    [EventType("noted")]
    private sealed record Noted([property: Personal("customer")] string? Text);

    // An append that is refused leaves the person's key and no value.
    [Fact]
    public async Task A_person_without_values_whose_key_is_gone_gets_no_other_one()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        using (var place = StorePlace.On(disk))
        {
            var store = place.OpenCustomers(Key);
            await store.AppendAsync([Events.New("opened")]);
            await Assert.ThrowsAsync<AppendConditionFailedException>(() =>
                store.AppendAsync([new NewEvent(Registered())], new AppendCondition(Query.All)));
        }
        var refused = 0;
        for (var (at, isOver) = (0, false); !isOver; at++)
        {
            using var place = StorePlace.On(disk.Copy());
            isOver = ForgetUntilKilled(place, at);
            var hasKey = place.Snapshot(place.Layout.Keys)
                .Any(static file => file.Key.Contains("customer", StringComparison.Ordinal) && file.Value.AsSpan().IndexOf("\"key\""u8) >= 0);

            var isBegun = HasBegun(place);
            var error = Record.Exception(() => Promises.Append(place.OpenCustomers(Key), [new NewEvent(Registered())]));

            Assert.Equal(isBegun || !hasKey, error is PersonalDataException);
            refused += hasKey || isOver ? 0 : 1;
        }
        Assert.InRange(refused, 1, int.MaxValue);
    }

    // Whether the forgetting is over before the process is killed.
    private static bool ForgetUntilKilled(StorePlace place, int change)
    {
        var client = place.Disk!.Attach();
        var dying = place.Open(client, static options => options.PersonalData.MasterKey = Key);
        var changes = 0;
        client.BeforeOperation = operation =>
        {
            if (operation.Changes && changes++ == change)
                client.Kill();
        };
        var isOver = Record.Exception(() => Forget(dying)) is null;
        client.BeforeOperation = null;
        return isOver;
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
            Forget(store);
            client.BeforeOperation = null;
        }
        return [.. from at in Enumerable.Range(0, changes) from fails in (bool[])[false, true] select new Case(kind, start, fails, at)];
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
            Attempts = [new ReactionAttempt
            {
                Number = 1,
                EndedAt = DateTimeOffset.UnixEpoch,
                Error = "no mailbox ann@example.org",
            }],
        });
        return disk;
    }

    private static int Interrupt(Case interrupted)
    {
        var (_, start, fails, at) = interrupted;
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
                if (fails)
                    throw new FileSystemException(FileError.DiskFull, "write to", operation.Path, "the disk is full");
                client.Kill();
            };
            try
            {
                Forget(store);
            }
            catch (Exception e) when (e is EventStoreException)
            {
                // The operation that failed; the caller calls again.
            }
            client.BeforeOperation = null;
        });
        Assert.True(wasReached);
        CheckLeft(disk);
        return 1;
    }

    private static void CheckLeft(SimulatedDisk left)
    {
        using var place = StorePlace.On(left);
        var isBegun = HasBegun(place);
        var report = place.Check();
        using (var files = left.Attach())
            Assert.Null(ParkedFile.Read(files, new ReactionLayout(place.Layout.Reactions, "mails"), 1).Problem);
        Assert.Equal(isBegun, report.Findings.Any(each => each.Kind == FindingKind.UnfinishedForgetting));
        var store = place.OpenCustomers(Key);
        store.ForgetAsync(Ann, "asked again").GetAwaiter().GetResult();
        CheckForgotten(place, store);
        place.CloseStores();
        Assert.Equal([], place.Check().Findings);
    }

    private static void CheckForgotten(StorePlace place, FileSystemEventStore store)
    {
        var lost = Promises.Read(store, Query.All)[0].UnreadableMembers;
        Assert.All(lost.Where(static each => each.Subject == Ann), static each => Assert.Equal(UnreadableReason.Forgotten, each.Reason));
        Assert.Equal(4, lost.Count);
        Assert.Equal([2], store.PositionsAsync(Query.For<PersonForgotten>(Ann)).GetAwaiter().GetResult());
        Assert.All(place.Snapshot(place.Layout.Reactions),
            static each => Assert.False(each.Value.AsSpan().IndexOf("ann@example.org"u8) >= 0, each.Key));
    }

    private static void CheckAfter(SimulatedDisk left, PowerCut cut, bool isDone)
    {
        if (isDone)
        {
            using var place = StorePlace.On(left.Copy());
            // Under the identifier and under the pseudonym: a folder of keys says it also without the events.
            Assert.Equal(2, MarksIn(place));
            CheckForgotten(place, place.OpenCustomers(Key));
        }
        CheckLeft(left);
    }

    private static bool HasBegun(StorePlace place) =>
        place.Snapshot(place.Layout.Keys).Keys.Any(static path => path.EndsWith(".forgetting", StringComparison.Ordinal));

    private static int MarksIn(StorePlace place) => place.Snapshot(place.Layout.Keys).Count(static file =>
        file.Key.EndsWith(".json", StringComparison.Ordinal) && file.Value.AsSpan().IndexOf("\"forgotten\""u8) >= 0);

    private static void Forget(FileSystemEventStore store) => store.ForgetAsync(Ann, "asked for it").GetAwaiter().GetResult();

    // The number of the operation, among those that change something.
    private sealed record Case(VolumeKind Kind, SimulatedDisk Start, bool Fails, int At)
    {
        public override string ToString() => $"{Kind}, {(Fails ? "fails" : "killed")} at change {At}";
    }
}
