using Opossum.Testing;

namespace Opossum.Tests.Projections;

/// <summary>One key or several, by CLR type or by name, with the envelope or without.</summary>
public sealed class HandlerFormTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Every_form_of_a_handler_is_called()
    {
        await using var store = Open();
        await using var runner = store.StartProjections([new Letters()]);
        var letters = store.Projections.Get<Letter>();

        await store.AppendAsync([new NewEvent(new OneKey("a")), new NewEvent(new OneKeyAt("b")), new NewEvent(new ManyKeys(["c", "d"])),
            new NewEvent(new ManyKeysAt(["e", "f"]))], cancellationToken: Cancellation);
        var last =
            await store.AppendAsync([NewEvent.FromJson("one-by-name", "{}", new Tag("key", "g")),
                NewEvent.FromJson("many-by-name", "{}", new Tag("key", "h"), new Tag("key", "i"))], cancellationToken: Cancellation);
        await letters.WaitForAsync(last.LastPosition, Cancellation);

        Assert.Equal(
            ["a 0", "b 2", "c 0", "d 0", "e 4", "f 4", "g 5", "h 6", "i 6"],
            (await letters.ReadAllAsync(Cancellation).ToListAsync(Cancellation)).Select(each => $"{each.Key} "
                + $"{each.State.Position}").Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task An_event_whose_data_is_JSON_null_stops_a_handler_of_a_CLR_type_and_says_so()
    {
        await using var store = Open();
        await using var runner = store.StartProjections([new Letters()], new ProjectionOptions { MaxRetryAttempts = 0 });
        var appended = await store.AppendAsync(NewEvent.FromJson("one-key", "null"), cancellationToken: Cancellation);

        var fault =
            (await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<Letter>().WaitForAsync(appended.LastPosition,
                Cancellation))).Fault!;

        Assert.Contains("is JSON null", fault.Error, StringComparison.Ordinal);
    }

    [Theory(Timeout = 60_000)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_disposal_inside_of_a_handler_is_refused_instead_of_waiting_for_itself(bool ofStore)
    {
        await using var store = Open();
        IAsyncDisposable? runner = null;
        var refusal = new TaskCompletionSource<Exception?>();
        Action dispose = ofStore ? store.Dispose : () => runner!.DisposeAsync().AsTask().GetAwaiter().GetResult();
        runner = store.StartProjections([new Calling(() => refusal.TrySetResult(Record.Exception(dispose)))]);
        await store.AppendAsync(NewEvent.FromJson("one-by-name", "{}"), cancellationToken: Cancellation);
        Assert.Contains("inside of a handler of the projection calling", Assert.IsType<InvalidOperationException>(await refusal.Task).Message,
            StringComparison.Ordinal);
        await runner.DisposeAsync();
    }

    [Fact]
    public async Task A_store_that_is_only_read_gives_states_without_the_types_of_their_events()
    {
        using var place = StorePlace.InFolder();
        await using (var store = place.Open(options => options.EventTypes.Add<OneKey>().Add<OneKeyAt>().Add<ManyKeys>().Add<ManyKeysAt>()))
        await using (var writing = store.StartProjections([new Letters()]))
        {
            await store.Projections.Get<Letter>().WaitForAsync((await store.AppendAsync(new NewEvent(new OneKeyAt("a")),
                cancellationToken: Cancellation)).LastPosition, Cancellation);
        }

        await using var archive = place.Open(options => options.ReadOnly = true);
        await using var reading = archive.StartProjections([new Letters()]);

        Assert.Equal(new Letter(1), await archive.Projections.Get<Letter>().GetAsync("a", Cancellation));
    }

    // One handler takes from an account and gives to another one.
    [Fact]
    public async Task A_handler_of_several_keys_gets_the_key_whose_state_it_returns()
    {
        var options = new OpossumOptions();
        options.EventTypes.Add<MoneySent>();
        await using var store = InMemoryEventStore.Open(options);
        await using var running = store.StartProjections([new Accounts()]);

        await store.AppendAsync([new NewEvent(new MoneySent("a", "b", 5)), new NewEvent(new MoneySent("b", "c", 2))],
            cancellationToken: Cancellation);
        var result = await store.AppendAsync(NewEvent.FromJson("sent-by-name", "{}", new Tag("from", "c"), new Tag("to", "a")),
            cancellationToken: Cancellation);

        var accounts = store.Projections.Get<Account>();
        await accounts.WaitForAsync(result.LastPosition, Cancellation);
        var states = await accounts.GetManyAsync(["a", "b", "c"], Cancellation);
        Assert.Equal((-4, 3, 1), (states["a"].Sum, states["b"].Sum, states["c"].Sum));
    }

    private static FileSystemEventStore Open()
    {
        var options = new OpossumOptions();
        options.EventTypes.Add<OneKey>().Add<OneKeyAt>().Add<ManyKeys>().Add<ManyKeysAt>();
        return InMemoryEventStore.Open(options);
    }

    [EventType("one-key")]
    private sealed record OneKey(string Key);

    [EventType("one-key-at")]
    private sealed record OneKeyAt(string Key);

    [EventType("many-keys")]
    private sealed record ManyKeys(string[] Keys);

    [EventType("many-keys-at")]
    private sealed record ManyKeysAt(string[] Keys);

    [EventType("money-sent")]
    private sealed record MoneySent(string From, string To, int Sum);

    private sealed record Account(int Sum);

    private sealed class Accounts : Projection<Account>
    {
        public Accounts()
            : base("accounts")
        {
            On<MoneySent>(e => [e.From, e.To], (account, e, _, key) => Plus(account, key == e.To ? e.Sum : -e.Sum));
            On("sent-by-name", e => e.Tags.Select(static tag => tag.Value),
                (account, e, key) => Plus(account, e.Tags.Contains(new Tag("to", key)) ? 1 : -1));
        }

        private static Account Plus(Account? account, int sum) => new((account?.Sum ?? 0) + sum);
    }

    private sealed record Letter(long Position);

    private sealed class Letters : Projection<Letter>
    {
        public Letters()
            : base("letters")
        {
            On<OneKey>(e => e.Key, (_, _) => new Letter(0));
            On<OneKeyAt>(e => e.Key, (_, _, e) => new Letter(e.Position));
            On<ManyKeys>(e => e.Keys, (_, _) => new Letter(0));
            On<ManyKeysAt>(e => e.Keys, (_, _, e) => new Letter(e.Position));
            On("one-by-name", e => e.Tags[0].Value, (_, e) => new Letter(e.Position));
            On("many-by-name", e => e.Tags.Select(tag => tag.Value), (_, e) => new Letter(e.Position));
        }
    }

    private sealed class Calling : Projection<Letter>
    {
        public Calling(Action call)
            : base("calling") => On("one-by-name", static _ => "a", (letter, e) =>
            {
                call();
                return new Letter(e.Position);
            });
    }
}
