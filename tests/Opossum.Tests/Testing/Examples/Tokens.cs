using Opossum.Testing;
using static Opossum.TestingTests.Examples.Cases;

namespace Opossum.TestingTests.Examples;

/// <summary>https://dcb.events/examples/opt-in-token: a token is valid once, for an hour, and until it is revoked.</summary>
internal static class Tokens
{
    private enum State
    {
        Unknown,
        Valid,
        Void,
    }

    public static IEnumerable<RaceCase> Right =>
    [
        .. InEveryRightWay("one token, two clicks", Initiated, Confirm(), Confirm()),
        .. InEveryRightWay("a click and a revocation", Initiated, Confirm(), Revoke()),
    ];

    public static IEnumerable<RaceCase> Mistakes =>
    [
        Of("the tag token is left off the event", Initiated, Twice(Confirm(e => Without("token", e)).ExecuteAsync)),
        Of("the condition asks for the address of somebody else", Initiated,
            Twice(store => Confirm().WithConditionAsync(store, Query.FromTags(new Tag("email", "ada@example.com "), new Tag("token", "4711"))))),
        Of("the type sign-up-revoked is missing", Initiated, new Decider<State>(
            DecisionProjection.Create(State.Unknown, new Tag("email", "ada@example.com"), new Tag("token", "4711"))
                .On<SignUpInitiated>((_, _) => State.Valid)
                .On<SignUpConfirmed>((_, _) => State.Void), Decide(e => new NewEvent(e))).ExecuteAsync, Revoke().ExecuteAsync),
        Of("After is read later", Initiated, Twice(Confirm().HeadReadLaterAsync)),
        Of("a welcome mail is sent by the decision", Initiated, [Confirm().MailInTheDecisionAsync, Confirm().MailInTheDecisionAsync]),
        Of("a handler draws lots", Initiated, Twice(new Decider<string>(
            DecisionProjection.Create("", new Tag("token", "4711"))
                .On<SignUpInitiated>((_, _) => Guid.NewGuid().ToString())
                .On<SignUpConfirmed>((_, _) => ""),
            welcome => welcome.Length > 0 ? [new NewEvent(new SignUpConfirmed("ada@example.com", "4711"))] : []).ExecuteAsync)),
        Of("no condition", Initiated, Twice(Confirm().WithoutConditionAsync)),
    ];

    private static RaceTest Initiated(RaceTest race) => race
        .Given(new SignUpInitiated("ada@example.com", "4711"))
        .Always("a token is used at most once, and not after it is revoked", events =>
            events.Of<SignUpConfirmed>().Count() <= 1
            && !events.SkipWhile(e => e.Data is not SignUpRevoked).Of<SignUpConfirmed>().Any());

    private static Func<IEventStore, Task>[] Twice(Func<IEventStore, Task> run) => [run, run];

    private static Decider<State> Confirm(Func<object, NewEvent>? toEvent = null) =>
        new(StateAt(new TestClock().GetUtcNow().AddMinutes(30)), Decide(toEvent ?? (e => new NewEvent(e))));

    private static Decider<State> Revoke() => new(StateAt(new TestClock().GetUtcNow()),
        state => state == State.Valid ? [new NewEvent(new SignUpRevoked("ada@example.com", "4711"))] : []);

    private static Func<State, IReadOnlyList<NewEvent>> Decide(Func<object, NewEvent> toEvent) =>
        state => state == State.Valid ? [toEvent(new SignUpConfirmed("ada@example.com", "4711"))] : [];

    private static DecisionProjection<State> StateAt(DateTimeOffset now) =>
        DecisionProjection.Create(State.Unknown, new Tag("email", "ada@example.com"), new Tag("token", "4711"))
            .On<SignUpInitiated>((_, _, e) => now - e.Timestamp <= TimeSpan.FromHours(1) ? State.Valid : State.Void)
            .On<SignUpConfirmed>((_, _) => State.Void)
            .On<SignUpRevoked>((_, _) => State.Void);
}
