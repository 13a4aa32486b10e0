using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Repair;
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

        Assert.Equal(new ForgetResult
        {
            Subject = Ann,
            Forgotten = clock.GetUtcNow(),
            Position = 3,
            HadKey = true,
        }, result);
        var events = await store.ReadAllAsync();
        Assert.Equal([UnreadableReason.Forgotten],
            events[0].UnreadableMembers.Where(each => each.Subject == Ann).Select(each => each.Reason).Distinct());
        Assert.Equal((null, "(forgotten)"), events[0].Data is CustomerRegistered ann ? (ann.Name, ann.Email) : default);
        Assert.Equivalent(Registered("c2"), events[1].Data);
        Assert.Equal(new PersonForgotten { Subject = "customer:c1", Reason = "asked for it" }, events[2].Data);
        Assert.Equal([Ann], events[2].Tags);
        var after = place.Snapshot(place.Layout.Events);
        Assert.All(before, each => Assert.Equal(each.Value, after[each.Key]));
        Assert.Equal([2], await store.PositionsAsync(Query.FromTags(new Tag("customer", "c2"))));
        place.AssertClean();
    }

    [Fact]
    public async Task A_tag_that_only_the_store_gives_names_nobody_and_nothing_is_begun()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);

        await Assert.ThrowsAsync<ArgumentException>(() => store.ForgetAsync(new Tag("$x", "y"), "asked for it"));

        place.AssertClean();
    }

    [Fact]
    public async Task An_append_that_says_so_itself_forgets_nobody()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        var said = new NewEvent(new PersonForgotten { Subject = "customer:c1", Reason = "r" }, Ann);

        foreach (var e in new[] { said, NewEvent.FromJson(PersonForgotten.Name, "{}", Ann) })
        {
            var refused = await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([e]));
            Assert.Contains("Forget the person (ForgetAsync, opossum forget)", refused.Message, StringComparison.Ordinal);
        }

        Assert.Empty((await store.ReadAllAsync())[0].UnreadableMembers);
        Assert.Equal(2, (await store.ForgetAsync(Ann, "asked for it")).Position);
    }

    [Fact]
    public async Task An_append_that_was_cancelled_before_leaves_no_file()
    {
        var store = place.OpenCustomers(Key);
        var cancelled = new CancellationToken(canceled: true);

        foreach (var e in new[] { new NewEvent(Registered()), Events.New("t") })
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => store.AppendAsync([e], cancellationToken: cancelled));

        Assert.False(place.Exists(place.Layout.Keys));
        Assert.False(place.Exists(place.Layout.Schemas));
    }

    [Fact]
    public async Task An_append_can_be_cancelled_while_another_process_keeps_the_folder_of_keys()
    {
        using var cancellation = new CancellationTokenSource();
        var client = place.Disk!.Attach();
        var store = place.Open(client, static options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            options.PersonalData.MasterKey = Key;
        });
        await store.AppendAsync([new NewEvent(Registered())]);
        using var other = place.Disk.Attach().Open($"{place.Layout.Keys}/.lock", FileOpening.LockOrCreate)!;
        Assert.True(other.TryLock(LockByte.Offset));
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Lock && operation.Path.StartsWith(place.Layout.Keys, StringComparison.Ordinal))
                cancellation.Cancel();
        };

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            store.AppendAsync([new NewEvent(Registered("c2"))], cancellationToken: cancellation.Token));

        Assert.False(place.Exists($"{place.Layout.Keys}/customer%3ac2.json"));
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
            Assert.Equal((false, Ann), (refused.IsTransient, refused.ForgottenPerson));
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
    public async Task The_event_is_durable_when_the_forgetting_ends_also_where_events_are_flushed_later()
    {
        var disk = new TestDisk();
        var options = new OpossumOptions { EventTypes = new EventTypeRegistry().Add<CustomerRegistered>(), FlushEventsImmediately = false };
        var store = disk.Open(options);
        await store.AppendAsync([new NewEvent(Registered())]);
        await store.ForgetAsync(Ann, "asked for it");

        await using var after = disk.CutPower().Open(options);

        Assert.IsType<PersonForgotten>((await after.ReadAllAsync())[1].Data);
        await store.DisposeAsync();
    }

    [Fact]
    public async Task Another_process_drops_the_key_within_a_second()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        var other = place.OpenCustomers(Key);
        Assert.Empty((await other.ReadAllAsync())[0].UnreadableMembers);

        var later = (await other.ReadAllAsync())[0];
        await store.ForgetAsync(Ann, "asked for it");
        clock.Advance(TimeSpan.FromSeconds(0.5));

        Assert.Equal(6 - 2, later.UnreadableMembers.Count);
        await Assert.ThrowsAsync<PersonalDataException>(() => other.AppendAsync([new NewEvent(Registered())]));
    }

    [Fact]
    public async Task Another_process_uses_no_key_any_more_once_it_has_seen_the_event()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        var other = place.OpenCustomers(Key);
        Assert.Empty((await other.ReadAllAsync())[0].UnreadableMembers);

        await store.ForgetAsync(Ann, "asked for it");

        Assert.Equal(6 - 2, (await other.ReadAllAsync())[0].UnreadableMembers.Count);
    }

    [Fact]
    public async Task On_a_share_with_a_late_view_another_process_drops_the_key_and_keeps_no_error_of_before()
    {
        using var share = StorePlace.On(VolumeKind.Nfs, clock);
        var store = share.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        var other = share.Open(share.Disk!.Attach(TimeSpan.FromMinutes(1)), static options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            options.PersonalData.MasterKey = Key;
        });
        Assert.Empty((await other.ReadAllAsync())[0].UnreadableMembers);
        var later = (await other.ReadAllAsync())[0];
        var (head, texts) = (await other.GetHeadAsync(), new List<bool>());

        await store.ForgetAsync(Ann, "asked for it");
        clock.Advance(TimeSpan.FromSeconds(0.5));

        Assert.Equal(6 - 2, later.UnreadableMembers.Count);
        other.ReactionHost(new ReactionOptions()).WriteTexts(head, texts.Add);
        Assert.Equal([false], texts);
    }

    [Fact]
    public async Task An_event_that_was_cut_off_is_told_again()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        await store.ForgetAsync(Ann, "asked for it");
        place.CloseStores();
        place.Repair(Remedies.Truncate(1));
        store = place.OpenCustomers(Key);

        var again = await store.ForgetAsync(Ann, "asked for it");

        Assert.Equal((2L, false), (again.Position, again.HadKey));
        Assert.Equal(new PersonForgotten { Subject = "customer:c1", Reason = "asked for it" }, (await store.ReadAllAsync())[1].Data);
        Assert.True((await store.ForgetAsync(Ann, "asked for it")).WasForgotten);
        place.CloseStores();
        place.AssertClean();
    }

    // Bytes of the disk, or a file that a program has written there.
    [Theory]
    [InlineData("")]
    [InlineData("{\"subject\": \"customer:c1\", \"forg")]
    [InlineData("{}")]
    [InlineData("{\"subject\":\"customer:c2\",\"forgotten\":\"2026-01-01T00:00:00Z\",\"reason\":\"r\",\"event\":\"01000000-0000-7000-8000-000000000000\"}")]
    public async Task A_forgetting_whose_file_is_damaged_is_finished_by_the_next_call_wherever_it_was_interrupted(string damage)
    {
        var (file, begun) = ($"{place.Layout.Keys}/customer%3ac1.json", $"{place.Layout.Keys}/customer%3ac1.forgetting");
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        var key = place.Bytes(file);
        await store.ForgetAsync(Ann, "asked for it");
        var mark = place.Bytes(file);
        place.CloseStores();
        foreach (var (left, isTold) in new[] { (key, false), (new byte[key.Length], false), (mark, false), (mark, true) })
        {
            if (!isTold)
                place.Repair(Remedies.Truncate(1));
            place.Put(file, left);
            place.Put(begun, Encoding.UTF8.GetBytes(damage));
            // Where the person can still be read, the command line asks.
            Assert.Equal(left == key ? PersonKeyState.Key : PersonKeyState.Forgetting,
                PersonalKeys.Find(place.Attach(), place.Layout, Ann, null, null).State);
            store = place.OpenCustomers(Key);
            if (left != key)
            {
                Assert.All((await store.ReadAllAsync())[0].UnreadableMembers.Where(static each => each.Subject == Ann),
                    static each => Assert.Equal(UnreadableReason.Forgotten, each.Reason));
                await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered())]));
            }

            var result = await store.ForgetAsync(Ann, "asked again");

            Assert.Equal(isTold ? null : 2, result.Position);
            var told = Assert.IsType<PersonForgotten>((await store.ReadAllAsync())[1].Data);
            Assert.Equal(left == mark ? "asked for it" : "asked again", told.Reason);
            Assert.True((await store.ForgetAsync(Ann, "asked again")).WasForgotten);
            place.CloseStores();
            Assert.False(place.Exists(begun));
            place.AssertClean();
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("{}")]
    public async Task A_person_has_no_new_key_while_a_forgetting_whose_file_is_damaged_is_not_finished(string damage)
    {
        var store = place.OpenCustomers(Key);
        await store.MakeStoreKeyAsync();
        place.Put($"{place.Layout.Keys}/customer%3ac1.forgetting", Encoding.UTF8.GetBytes(damage));

        var refused = await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered())]));

        Assert.Contains("Forget the person again", refused.Message, StringComparison.Ordinal);
        Assert.False(place.Exists($"{place.Layout.Keys}/customer%3ac1.json"));
    }

    [Fact]
    public async Task Another_process_drops_the_key_within_a_minute_when_the_one_that_forgets_dies()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        var other = place.OpenCustomers(Key);
        Assert.Empty((await other.ReadAllAsync())[0].UnreadableMembers);
        var client = place.Disk!.Attach();
        var dying = place.Open(client, options =>
        {
            options.PersonalData.MasterKey = Key;
            // Its timers end with it.
            options.TimeProvider = new HandDrivenClock();
        });
        client.BeforeOperation = operation =>
        {
            if (operation.Changes && operation.Path.StartsWith(place.Layout.Events, StringComparison.Ordinal))
                client.Kill();
        };
        await Assert.ThrowsAnyAsync<Exception>(() => dying.ForgetAsync(Ann, "asked for it"));

        for (var half = 0; half < 121; half++)
            clock.Advance(TimeSpan.FromSeconds(0.5));

        Assert.Equal(4, (await other.ReadAllAsync())[0].UnreadableMembers.Count);
    }
}
