using Opossum.Testing;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>
/// Another process makes or removes a key at a moment between two steps of this one: each moment is tried.
/// </summary>
public sealed class KeysMadeAtOnceTests
{
    private static readonly Tag email = Tag.Pseudonym("email", "ann@example.org");

    private readonly TestClock clock = new();

    [Fact]
    public Task An_append_is_not_refused_when_another_process_makes_the_person_s_key_meanwhile() =>
        MeetAsync(["c9"], static store => store.AppendAsync([new NewEvent(Registered())]));

    [Fact]
    public Task An_append_is_not_refused_when_another_process_makes_the_store_s_key_meanwhile() =>
        MeetAsync([], static store => store.AppendAsync([new NewEvent(Registered())]));

    [Fact]
    public Task A_query_with_a_pseudonym_is_not_refused_when_another_process_makes_the_key_meanwhile() =>
        MeetAsync([], static store => store.ReadAsync(Query.FromTags(email)).ToListAsync().AsTask());

    [Fact]
    public async Task A_read_by_a_pseudonym_has_the_events_up_to_its_head_although_the_key_was_made_after_it_was_asked_for()
    {
        using var place = StorePlace.On(new SimulatedDisk(VolumeKind.Ext4, clock));
        var (store, other) = (place.OpenCustomers(Key), place.OpenCustomers(Key));
        var read = store.ReadAsync(Query.FromTags(email));
        await other.AppendAsync([NewEvent.FromJson("taken", "{}", email)]);

        Assert.Single(await read.ToListAsync());
        Assert.Equal(1, read.Head);
    }

    [Fact]
    public async Task A_key_that_is_read_while_the_person_is_forgotten_is_not_kept()
    {
        for (var (step, hasMet) = (0, true); hasMet; step++)
        {
            using var place = StorePlace.On(new SimulatedDisk(VolumeKind.Ext4, clock));
            var other = place.OpenCustomers(Key);
            await other.AppendAsync([new NewEvent(Registered("c9")), new NewEvent(Registered())]);
            var client = place.Disk!.Attach();
            var store = Open(place, client);
            // It keeps a key, so it looks for events that say that somebody was forgotten.
            Assert.Empty((await store.ReadAsync(Query.FromTags(new Tag("customer", "c9"))).FirstAsync()).UnreadableMembers);

            hasMet = await DoAsync(client, step, async () => _ = (await store.ReadAllAsync())[1].UnreadableMembers, () =>
            {
                other.ForgetAsync(Ann, "asked for it").GetAwaiter().GetResult();
                clock.Advance(TimeSpan.FromSeconds(0.5));
            });
            clock.Advance(TimeSpan.FromSeconds(0.5));

            Assert.Equal(hasMet, (await store.ReadAllAsync())[1].UnreadableMembers.Any(static each => each.Subject == Ann));
        }
    }

    // Both have registered some persons; then the other one registers Ann while this one works.
    private async Task MeetAsync(string[] persons, Func<FileSystemEventStore, Task> work)
    {
        for (var (step, hasMet) = (0, true); hasMet; step++)
        {
            using var place = StorePlace.On(new SimulatedDisk(VolumeKind.Ext4, clock));
            var other = place.OpenCustomers(Key);
            var client = place.Disk!.Attach();
            var store = Open(place, client);
            foreach (var each in (FileSystemEventStore[])[other, store])
            {
                foreach (var person in persons)
                    await each.AppendAsync([new NewEvent(Registered(person))]);
            }

            hasMet = await DoAsync(client, step, () => work(store), () =>
            {
                other.AppendAsync([new NewEvent(Registered())]).GetAwaiter().GetResult();
                AssertReadable(store);
            });

            AssertReadable(store);
            AssertReadable(other);
        }
    }

    private static void AssertReadable(FileSystemEventStore store) =>
        Assert.All(store.ReadAllAsync().GetAwaiter().GetResult(), static each => Assert.Empty(each.UnreadableMembers));

    private static FileSystemEventStore Open(StorePlace place, SimulatedFileSystem client) => place.Open(client, static options =>
    {
        options.EventTypes.Add<CustomerRegistered>();
        options.PersonalData.MasterKey = Key;
    });

    // False when the work had ended before the step, or had taken a lock, for which the other one waits.
    private static async Task<bool> DoAsync(SimulatedFileSystem client, int step, Func<Task> work, Action meanwhile)
    {
        var (left, isMet, isLocked) = (step, false, false);
        void Meet()
        {
            if (isMet || isLocked || left-- > 0)
                return;
            isMet = true;
            meanwhile();
        }
        client.BeforeOperation = operation =>
        {
            isLocked |= operation.Kind == OperationKind.Lock;
            Meet();
        };
        client.BeforeClose = _ => Meet();
        await work();
        (client.BeforeOperation, client.BeforeClose) = (null, null);
        return isMet;
    }
}
