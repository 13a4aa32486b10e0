namespace Opossum.Tests.Decisions;

/// <summary>
/// https://dcb.events/examples/unique-username: a value that is unique in the whole store, can be released, and is kept back for a while.
/// </summary>
public sealed class UniqueUsernameTests() : DecisionTests(typeof(AccountRegistered), typeof(AccountClosed), typeof(UsernameChanged))
{
    private static readonly TimeSpan noRetention = TimeSpan.FromDays(-1);
    private static readonly TimeSpan threeDays = TimeSpan.FromDays(3);

    [Fact]
    public async Task A_username_is_claimed_once()
    {
        await RegisterAsync(Store, "u1");

        Assert.False(await RegisterAsync(Store, "u1"));
        Assert.True(await RegisterAsync(Store, "u2"));
    }

    [Fact]
    public async Task The_username_of_a_closed_account_is_free_again()
    {
        await GivenAsync(new AccountRegistered("u1"), new AccountClosed("u1"));

        Assert.True(await RegisterAsync(Store, "u1"));
        Assert.False(await RegisterAsync(Store, "u1"));
    }

    [Fact]
    public async Task A_changed_username_frees_the_old_one_and_claims_the_new_one()
    {
        await GivenAsync(new AccountRegistered("u1"), new UsernameChanged("u1", "u1changed"));

        Assert.True(await RegisterAsync(Store, "u1"));
        Assert.False(await RegisterAsync(Store, "u1changed"));
    }

    [Fact]
    public async Task A_released_username_is_kept_back_for_three_days()
    {
        await GivenAsync(new AccountRegistered("closed"), new AccountRegistered("changed"));
        Clock.Advance(TimeSpan.FromDays(1));
        await GivenAsync(new AccountClosed("closed"), new UsernameChanged("changed", "new"));

        Clock.Advance(threeDays);
        Assert.False(await RegisterAsync(Store, "closed", threeDays));
        Assert.False(await RegisterAsync(Store, "changed", threeDays));

        Clock.Advance(TimeSpan.FromDays(1));
        Assert.True(await RegisterAsync(Store, "closed", threeDays));
        Assert.True(await RegisterAsync(Store, "changed", threeDays));
        Assert.False(await RegisterAsync(Store, "new", threeDays));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_racers_for_a_username_one_gets_it(bool twoProcesses)
    {
        Assert.False(await RegisterAsync(Overtaken(twoProcesses, faster => RegisterAsync(faster, "u1")), "u1"));

        Assert.Equal([new AccountRegistered("u1")], await StoredAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_racers_who_saw_the_username_free_one_appends(bool twoProcesses) => await AssertOnlyOneAppendsAsync(
        twoProcesses,
        IsClaimed("u1", noRetention), new AccountRegistered("u1"),
        IsClaimed("u1", noRetention), new AccountRegistered("u1"));

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_username_is_not_registered_when_somebody_changes_theirs_to_it(bool twoProcesses)
    {
        await GivenAsync(new AccountRegistered("u1"));

        var slower = Overtaken(twoProcesses, async faster => await faster.AppendAsync(new NewEvent(new UsernameChanged("u1", "u2"))));
        Assert.False(await RegisterAsync(slower, "u2"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_username_that_is_released_and_taken_meanwhile_stays_taken(bool twoProcesses)
    {
        await GivenAsync(new AccountRegistered("u1"), new AccountClosed("u1"));

        var slower = Overtaken(twoProcesses, async faster =>
        {
            await RegisterAsync(faster, "u1");
            await faster.AppendAsync(new NewEvent(new AccountClosed("u1")));
            await RegisterAsync(faster, "u1");
        });
        Assert.False(await RegisterAsync(slower, "u1"));
    }

    private DecisionProjection<bool> IsClaimed(string username, TimeSpan retention)
    {
        var now = Clock.GetUtcNow();
        return DecisionProjection.Create(false, new Tag("username", username))
            .On<AccountRegistered>((_, _) => true)
            .On<AccountClosed>((_, _, e) => now - e.Timestamp <= retention)
            .On<UsernameChanged>((_, changed, e) => changed.NewUsername == username || now - e.Timestamp <= retention);
    }

    private async Task<bool> RegisterAsync(IEventStore store, string username, TimeSpan? retention = null)
    {
        var result = await store.ExecuteDecisionAsync(
            IsClaimed(username, retention ?? noRetention),
            isClaimed => isClaimed ? [] : [new NewEvent(new AccountRegistered(username))]);
        return result.Appended is not null;
    }

    [EventType("account-registered")]
    private sealed record AccountRegistered([property: Tag("username")] string Username);

    [EventType("account-closed")]
    private sealed record AccountClosed([property: Tag("username")] string Username);

    [EventType("username-changed")]
    private sealed record UsernameChanged([property: Tag("username")] string OldUsername, [property: Tag("username")] string NewUsername);
}
