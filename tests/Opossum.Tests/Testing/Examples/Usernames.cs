using Opossum.Testing;
using static Opossum.TestingTests.Examples.Cases;

namespace Opossum.TestingTests.Examples;

/// <summary>
/// https://dcb.events/examples/unique-username: a name is unique, and free again three days after its account was closed or renamed.
/// </summary>
internal static class Usernames
{
    private static readonly TimeSpan retention = TimeSpan.FromDays(3);

    public static IEnumerable<RaceCase> Right =>
    [
        .. InEveryRightWay("two accounts, one name", Empty, Register("ada"), Register("ada")),
        .. InEveryRightWay("a new account and a renamed one", WithGrace, Register("ada"), Rename("grace", "ada")),
    ];

    public static IEnumerable<RaceCase> Mistakes =>
    [
        Of("the tag username is left off the event", Empty, Twice(Register("ada", e => Without("username", e)).ExecuteAsync)),
        Of("the condition has the tag of another name", Empty,
            Twice(store => Register("ada").WithConditionAsync(store, Query.FromTags(new Tag("username", "adam"))))),
        Of("the type username-changed is missing", WithGrace, new Decider<bool>(
            DecisionProjection.Create(false, new Tag("username", "ada")).On<AccountRegistered>((_, _) => true),
            isClaimed => isClaimed ? [] : [new NewEvent(new AccountRegistered("ada"))]).ExecuteAsync, Rename("grace", "ada").ExecuteAsync),
        Of("After is that of a second read", Empty, Twice(Register("ada").ConditionOfASecondReadAsync)),
        Of("a mail is sent before the append", Empty, [Register("ada").MailBeforeTheAppendAsync, Register("ada").MailBeforeTheAppendAsync]),
        new("a handler asks the clock", () =>
        {
            var clock = new TestClock();
            return Rules(Race.Explore(Twice(new Decider<bool>(
                    DecisionProjection.Create(false, new Tag("username", "ada"))
                        .On<AccountRegistered>((_, _) => true)
                        .On<AccountClosed>((_, _, e) => clock.GetUtcNow() - e.Timestamp <= retention),
                    isClaimed => isClaimed ? [] : [new NewEvent(new AccountRegistered("ada"))]).ExecuteAsync))
                .With(EventTypes.All, clock)
                .Given(new AccountRegistered("ada"), new AccountClosed("ada"))
                .After(TimeSpan.FromDays(4)));
        }),
        Of("a handler asks the system's clock", ClosedYesterday, Twice(new Decider<bool>(
            DecisionProjection.Create(false, new Tag("username", "ada"))
                .On<AccountRegistered>((_, _) => true)
                .On<AccountClosed>((_, _, e) => DateTimeOffset.UtcNow - e.Timestamp <= retention),
            isClaimed => isClaimed ? [] : [new NewEvent(new AccountRegistered("ada"))]).ExecuteAsync)),
    ];

    private static RaceTest Empty(RaceTest race) => Rules(race);

    private static RaceTest WithGrace(RaceTest race) => Rules(race.Given(new AccountRegistered("grace")));

    private static RaceTest ClosedYesterday(RaceTest race) =>
        Rules(race.Given(new AccountRegistered("ada"), new AccountClosed("ada")).After(TimeSpan.FromDays(1)));

    private static RaceTest Rules(RaceTest race) => race.Always("a name has one account at a time", events =>
    {
        var freeFrom = new Dictionary<string, DateTimeOffset>();
        foreach (var e in events)
        {
            var (taken, given) = e.Data switch
            {
                AccountRegistered registered => (registered.Username, null),
                AccountClosed closed => (null, closed.Username),
                UsernameChanged changed => (changed.NewUsername, changed.OldUsername),
                _ => ((string?)null, (string?)null),
            };
            if (taken is not null && freeFrom.TryGetValue(taken, out var from) && e.Timestamp <= from)
                return false;
            if (taken is not null)
                freeFrom[taken] = DateTimeOffset.MaxValue;
            if (given is not null)
                freeFrom[given] = e.Timestamp + retention;
        }
        return true;
    });

    private static Func<IEventStore, Task>[] Twice(Func<IEventStore, Task> run) => [run, run];

    private static Decider<bool> Register(string name, Func<object, NewEvent>? toEvent = null) =>
        new(IsClaimed(name, new TestClock().GetUtcNow()),
            isClaimed => isClaimed ? [] : [(toEvent ?? (e => new NewEvent(e)))(new AccountRegistered(name))]);

    private static Decider<bool> Rename(string from, string to) =>
        new(IsClaimed(to, new TestClock().GetUtcNow()), isClaimed => isClaimed ? [] : [new NewEvent(new UsernameChanged(from, to))]);

    private static DecisionProjection<bool> IsClaimed(string name, DateTimeOffset now) =>
        DecisionProjection.Create(false, new Tag("username", name))
            .On<AccountRegistered>((_, _) => true)
            .On<AccountClosed>((_, _, e) => now - e.Timestamp <= retention)
            .On<UsernameChanged>((_, changed, e) => changed.NewUsername == name || now - e.Timestamp <= retention);
}
