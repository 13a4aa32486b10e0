using Opossum.Analyzers;
using Opossum.CodeFixes;

namespace Opossum.AnalyzerTests;

public sealed class DecisionTests
{
    private const string Events = """

        [EventType("order-placed")]
        public record OrderPlaced([property: Tag("order")] Guid OrderId, DateTimeOffset When);
        """;

    private const string Decide = "_ => [new NewEvent(new OrderPlaced({|OPSM0003:Guid.NewGuid()|}, now))]";

    [Fact]
    public Task A_clock_is_read_before_the_decision() => RuleTest.MendsAsync<DecisionAnalyzer, TakeBeforeDecisionFix>(
        """
        class Desk(IEventStore store, TimeProvider time)
        {
            public async Task PlaceAsync(DecisionProjection<bool> isOpen, Guid id)
            {
                // Only while it is open.
                await store.ExecuteDecisionAsync(isOpen, open => open ? [new NewEvent(new OrderPlaced(id, {|OPSM0003:time.GetUtcNow()|}))] : []);
            }
        }
        """ + Events,
        """
        class Desk(IEventStore store, TimeProvider time)
        {
            public async Task PlaceAsync(DecisionProjection<bool> isOpen, Guid id)
            {
                // Only while it is open.
                var now = time.GetUtcNow();
                await store.ExecuteDecisionAsync(isOpen, open => open ? [new NewEvent(new OrderPlaced(id, now))] : []);
            }
        }
        """ + Events);

    [Fact]
    public Task An_id_is_made_before_the_decision() => RuleTest.MendsAsync<DecisionAnalyzer, TakeBeforeDecisionFix>(
        """
        class Desk(IEventStore store)
        {
            public async Task PlaceAsync(DecisionProjection<bool> isOpen, DateTimeOffset now, int id)
            {
                var placed = await store.ExecuteDecisionAsync(isOpen, _ => [new NewEvent(new OrderPlaced({|OPSM0003:Guid.NewGuid()|}, now))]);
            }
        }
        """ + Events,
        """
        class Desk(IEventStore store)
        {
            public async Task PlaceAsync(DecisionProjection<bool> isOpen, DateTimeOffset now, int id)
            {
                var id2 = Guid.NewGuid();
                var placed = await store.ExecuteDecisionAsync(isOpen, _ => [new NewEvent(new OrderPlaced(id2, now))]);
            }
        }
        """ + Events);

    [Fact]
    public Task A_value_that_the_decision_names_itself_has_another_name_before_it() => RuleTest.MendsAsync<DecisionAnalyzer, TakeBeforeDecisionFix>(
        """
        class Desk(IEventStore store, TimeProvider time)
        {
            public async Task PlaceAsync(DecisionProjection<bool> isOpen, Guid id)
            {
                await store.ExecuteDecisionAsync(isOpen, open =>
                {
                    var now = {|OPSM0003:time.GetUtcNow()|};
                    return open ? [new NewEvent(new OrderPlaced(id, now))] : [];
                });
            }
        }
        """ + Events,
        """
        class Desk(IEventStore store, TimeProvider time)
        {
            public async Task PlaceAsync(DecisionProjection<bool> isOpen, Guid id)
            {
                var now2 = time.GetUtcNow();
                await store.ExecuteDecisionAsync(isOpen, open =>
                {
                    var now = now2;
                    return open ? [new NewEvent(new OrderPlaced(id, now))] : [];
                });
            }
        }
        """ + Events);

    [Fact]
    public Task A_parameter_of_the_decision_does_not_hide_the_value() => RuleTest.MendsAsync<DecisionAnalyzer, TakeBeforeDecisionFix>(
        """
        class Desk(IEventStore store)
        {
            public async Task PlaceAsync(DecisionProjection<Guid> last, DateTimeOffset now)
            {
                await store.ExecuteDecisionAsync(last, id => id == default ? [new NewEvent(new OrderPlaced({|OPSM0003:Guid.NewGuid()|}, now))] : []);
            }
        }
        """ + Events,
        """
        class Desk(IEventStore store)
        {
            public async Task PlaceAsync(DecisionProjection<Guid> last, DateTimeOffset now)
            {
                var id2 = Guid.NewGuid();
                await store.ExecuteDecisionAsync(last, id => id == default ? [new NewEvent(new OrderPlaced(id2, now))] : []);
            }
        }
        """ + Events);

    [Theory]
    [InlineData("_ => Enumerable.Range(1, 3).Select(each => new NewEvent(new OrderPlaced({|OPSM0003:Guid.NewGuid()|}, now))).ToList()")]
    [InlineData("""
        _ =>
                {
                    var events = new List<NewEvent>();
                    foreach (var each in Enumerable.Range(1, 3))
                        events.Add(new NewEvent(new OrderPlaced({|OPSM0003:Guid.NewGuid()|}, now)));
                    return events;
                }
        """)]
    public Task A_value_for_each_of_several_events_is_not_taken_once(string decide)
    {
        var program = $$"""
            class Desk(IEventStore store)
            {
                public Task PlaceAsync(DecisionProjection<bool> isOpen, DateTimeOffset now)
                {
                    return store.ExecuteDecisionAsync(isOpen, {{decide}});
                }
            }
            """ + Events;
        return RuleTest.LeavesAsync<DecisionAnalyzer, TakeBeforeDecisionFix>(program);
    }

    [Theory]
    [InlineData("Func<Task> handle = () => store.ExecuteDecisionAsync(isOpen, " + Decide + "); await handle();")]
    [InlineData("Task HandleAsync() => store.ExecuteDecisionAsync(isOpen, " + Decide + "); await HandleAsync();")]
    [InlineData("while (store.ExecuteDecisionAsync(isOpen, " + Decide + ") is { } task) await task;")]
    [InlineData("do { now = now.AddDays(1); } while (store.ExecuteDecisionAsync(isOpen, " + Decide + ").IsCompleted);")]
    [InlineData("for (Task? next = null; next is null; next = store.ExecuteDecisionAsync(isOpen, " + Decide + ")) now.AddDays(1);")]
    [InlineData("await Task.WhenAll(from _ in new int[3] select store.ExecuteDecisionAsync(isOpen, " + Decide + "));")]
    public Task A_value_for_each_of_several_decisions_is_not_taken_once(string body) => LeavesAsync(body);

    [Fact]
    public Task A_value_of_what_its_statement_declares_is_not_taken_before_it() => LeavesAsync("""
        if (now.Year is var year && store.ExecuteDecisionAsync(isOpen, _ =>
                    [new NewEvent(new OrderPlaced(default, now.AddDays({|OPSM0003:Random.Shared.Next(year)|})))]) is { } task)
                    await task;
        """);

    [Theory]
    [InlineData("await store.ExecuteDecisionAsync(isOpen, _ => [new NewEvent(new OrderPlaced(default, clock?{|OPSM0003:.GetUtcNow()|} ?? now))]);")]
    [InlineData("await store.ExecuteDecisionAsync(isOpen, _ => { {|OPSM0003:Random.Shared.Shuffle(new int[] { 1, 2 })|}; return []; });")]
    public Task What_is_no_value_of_its_own_is_not_taken_before_the_decision(string body) => LeavesAsync("TimeProvider? clock = null; " + body);

    [Fact]
    public Task A_method_that_decides_is_looked_into() => RuleTest.FindsAsync<DecisionAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public Task PlaceAsync(DecisionProjection<bool> isOpen) => store.ExecuteDecisionAsync(isOpen, Decide);

            private static IReadOnlyList<NewEvent> Decide(bool isOpen) =>
                [new NewEvent(new OrderPlaced({|OPSM0003:Guid.CreateVersion7()|},
                    {|OPSM0003:DateTimeOffset.UtcNow|}.AddDays({|OPSM0003:Random.Shared.Next()|})))];
        }
        """ + Events);

    [Fact]
    public Task A_method_that_the_decision_calls_is_looked_into() => RuleTest.FindsAsync<DecisionAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            private int decided;

            public Task PlaceAsync(DecisionProjection<bool> isOpen, Guid id) => store.ExecuteDecisionAsync(isOpen, open => Decide(open, id));

            private IReadOnlyList<NewEvent> Decide(bool isOpen, Guid id)
            {
                {|OPSM0004:decided++|};
                var order = new Order();
                order.Add(id);
                return isOpen ? [new NewEvent(new OrderPlaced(id, Now()))] : Decide(true, id);
            }

            private static DateTimeOffset Now() => {|OPSM0003:DateTimeOffset.UtcNow|};
        }

        class Order
        {
            private readonly List<Guid> lines = [];

            public void Add(Guid line) => lines.Add(line);
        }
        """ + Events);

    [Fact]
    public Task What_a_decision_does_outside_happens_in_each_attempt() => RuleTest.FindsAsync<DecisionAnalyzer>(
        """
        class Desk(IEventStore store, List<string> log, Queue<string> waiting, int[] counts)
        {
            private int decided;
            private readonly Dictionary<int, string> names = [];

            public async Task PlaceAsync(DecisionProjection<int> orders, NewEvent placed, System.Net.Http.HttpClient client)
            {
                var attempts = 0;
                await store.ExecuteDecisionAsync(orders, count =>
                {
                    {|OPSM0004:attempts++|};
                    {|OPSM0004:decided += count|};
                    {|OPSM0004:log.Add("decided")|};
                    {|OPSM0004:names.Remove(count)|};
                    {|OPSM0004:waiting.Dequeue()|};
                    {|OPSM0004:counts[0]++|};
                    {|OPSM0004:Console.WriteLine(count)|};
                    {|OPSM0004:File.AppendAllText("log", "decided")|};
                    return [placed];
                });
                await store.ExecuteDecisionAsync(orders, async (count, token) =>
                {
                    await {|OPSM0004:client.PostAsync("/mails", null, token)|};
                    await {|OPSM0004:store.AppendAsync(placed)|};
                    return [placed];
                });
            }
        }
        """);

    [Fact]
    public Task What_is_new_in_each_attempt_may_change() => RuleTest.FindsAsync<DecisionAnalyzer>(
        """
        class Aggregate
        {
            public List<NewEvent> Recorded { get; } = [];
        }

        class Desk(IEventStore store)
        {
            public async Task<int> PlaceAsync(DecisionProjection<int> orders, NewEvent placed, System.Net.Http.HttpClient client)
            {
                var decidedOn = 0;
                await store.ExecuteDecisionAsync(orders, count =>
                {
                    var aggregate = new Aggregate();
                    var events = new List<NewEvent> { placed };
                    for (var number = 0; number < count; number++)
                        events.Add(placed);
                    aggregate.Recorded.AddRange(events);
                    decidedOn = count;
                    return aggregate.Recorded;
                });
                await store.ExecuteDecisionAsync(orders, async (count, token) => await client.GetStringAsync("/prices", token) == "" ? [] : [placed]);
                Console.WriteLine(DateTime.Now);
                return decidedOn;
            }
        }
        """);

    private static Task LeavesAsync(string body) => RuleTest.LeavesAsync<DecisionAnalyzer, TakeBeforeDecisionFix>($$"""
        class Desk(IEventStore store)
        {
            public async Task PlaceAsync(DecisionProjection<bool> isOpen, DateTimeOffset now)
            {
                {{body}}
            }
        }
        """ + Events);
}
