namespace Opossum.Tests.Decisions;

/// <summary>
/// https://dcb.events/examples/opt-in-token: a token that is valid once, for one address and for an hour, without a table of tokens.
/// </summary>
public sealed class OptInTokenTests() : DecisionTests(typeof(SignUpInitiated), typeof(SignUpConfirmed))
{
    private static readonly TimeSpan validity = TimeSpan.FromMinutes(60);

    [Fact]
    public async Task An_unknown_token_confirms_nothing() =>
        Assert.Equal("No pending sign-up for this token and address", await ConfirmAsync(Store, "john@example.com", "000000"));

    [Fact]
    public async Task A_token_of_another_address_confirms_nothing()
    {
        await GivenAsync(new SignUpInitiated("john@example.com", "111111", "John"), new SignUpInitiated("jane@example.com", "222222", "Jane"));

        Assert.Equal("No pending sign-up for this token and address", await ConfirmAsync(Store, "jane@example.com", "111111"));
    }

    [Fact]
    public async Task A_token_confirms_once_with_what_was_given_at_first()
    {
        await GivenAsync(new SignUpInitiated("john@example.com", "444444", "John"));

        Assert.Null(await ConfirmAsync(Store, "john@example.com", "444444"));
        Assert.Equal("The token was used already", await ConfirmAsync(Store, "john@example.com", "444444"));

        Assert.Equal([new SignUpInitiated("john@example.com", "444444", "John"), new SignUpConfirmed("john@example.com", "444444", "John")],
            await StoredAsync());
    }

    [Fact]
    public async Task A_token_expires_after_an_hour()
    {
        await GivenAsync(new SignUpInitiated("john@example.com", "333333", "John"));
        Clock.Advance(validity);
        await GivenAsync(new SignUpInitiated("jane@example.com", "444444", "Jane"));

        Clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal("The token has expired", await ConfirmAsync(Store, "john@example.com", "333333"));
        Clock.Advance(validity - TimeSpan.FromMinutes(1));
        Assert.Null(await ConfirmAsync(Store, "jane@example.com", "444444"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_racers_with_one_token_one_is_confirmed(bool twoProcesses)
    {
        await GivenAsync(new SignUpInitiated("john@example.com", "444444", "John"));

        var slower = Overtaken(twoProcesses, faster => ConfirmAsync(faster, "john@example.com", "444444"));
        Assert.Equal("The token was used already", await ConfirmAsync(slower, "john@example.com", "444444"));

        Assert.Single((await StoredAsync()).OfType<SignUpConfirmed>());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_racers_who_saw_the_token_pending_one_appends(bool twoProcesses)
    {
        await GivenAsync(new SignUpInitiated("john@example.com", "444444", "John"));

        await AssertOnlyOneAppendsAsync(
            twoProcesses,
            PendingSignUp("john@example.com", "444444"), new SignUpConfirmed("john@example.com", "444444", "John"),
            PendingSignUp("john@example.com", "444444"), new SignUpConfirmed("john@example.com", "444444", "John"));
    }

    private DecisionProjection<SignUp?> PendingSignUp(string address, string token)
    {
        var now = Clock.GetUtcNow();
        return DecisionProjection.Create<SignUp?>(null, new Tag("email", address), new Tag("token", token))
            .On<SignUpInitiated>((_, initiated, e) => new SignUp(initiated.Name, IsUsed: false, IsExpired: now - e.Timestamp > validity))
            .On<SignUpConfirmed>((signUp, _) => signUp! with { IsUsed = true });
    }

    private async Task<string?> ConfirmAsync(IEventStore store, string address, string token)
    {
        var result = await store.ExecuteDecisionAsync(
            PendingSignUp(address, token),
            signUp => signUp is { IsUsed: false, IsExpired: false } ? [new NewEvent(new SignUpConfirmed(address, token, signUp.Name))] : []);
        return result.State switch
        {
            null => "No pending sign-up for this token and address",
            { IsUsed: true } => "The token was used already",
            { IsExpired: true } => "The token has expired",
            _ => null,
        };
    }

    [EventType("sign-up-initiated")]
    private sealed record SignUpInitiated([property: Tag("email")] string Address, [property: Tag("token")] string Token, string Name);

    [EventType("sign-up-confirmed")]
    private sealed record SignUpConfirmed([property: Tag("email")] string Address, [property: Tag("token")] string Token, string Name);

    private sealed record SignUp(string Name, bool IsUsed, bool IsExpired);
}
