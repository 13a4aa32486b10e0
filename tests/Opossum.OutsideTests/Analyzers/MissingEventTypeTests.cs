using Opossum.Analyzers;
using Opossum.CodeFixes;

namespace Opossum.AnalyzerTests;

public sealed class MissingEventTypeTests
{
    [Fact]
    public Task An_appended_class_has_no_name() => RuleTest.MendsAsync<MissingEventTypeAnalyzer, AddEventTypeFix>(
        """
        class Desk(IEventStore store)
        {
            public Task PlaceAsync(string order) => store.AppendAsync(new NewEvent({|OPSM0002:new OrderPlaced(order)|}));
        }

        // An order is there.
        public record OrderPlaced([property: Tag("order")] string OrderId);
        """,
        """
        class Desk(IEventStore store)
        {
            public Task PlaceAsync(string order) => store.AppendAsync(new NewEvent(new OrderPlaced(order)));
        }

        // An order is there.
        [EventType("order-placed")]
        public record OrderPlaced([property: Tag("order")] string OrderId);
        """);

    [Fact]
    public Task A_handled_or_queried_class_has_no_name() => RuleTest.FindsAsync<MissingEventTypeAnalyzer>(
        """
        public record OrderPlaced(string OrderId);

        class Orders : Projection<OrderPlaced>
        {
            public Orders() : base("orders") => {|OPSM0002:On<OrderPlaced>(e => e.OrderId, (state, e) => e)|};

            public Query Query => {|OPSM0002:Query.For<OrderPlaced>()|};

            public static DecisionProjection<int> Count => {|OPSM0002:DecisionProjection.Create(0).On<OrderPlaced>((count, _) => count + 1)|};

            public void Register(OpossumOptions options) => {|OPSM0002:options.EventTypes.Add<OrderPlaced>()|};
        }
        """);

    [Fact]
    public Task A_class_may_be_registered_under_a_name() => RuleTest.FindsAsync<MissingEventTypeAnalyzer>(
        """
        public record OrderPlaced(string OrderId);

        class Desk(IEventStore store)
        {
            public void Register(OpossumOptions options) => options.EventTypes.Add<OrderPlaced>("order-placed");

            public Task PlaceAsync(OrderPlaced placed) => store.AppendAsync(new NewEvent(placed));
        }
        """);

    [Fact]
    public Task What_registers_any_class_under_a_name_may_register_this_one() => RuleTest.FindsAsync<MissingEventTypeAnalyzer>(
        """
        public record OrderPlaced(string OrderId);

        class Desk(IEventStore store)
        {
            public void Register<T>(OpossumOptions options) => options.EventTypes.Add<T>(typeof(T).Name);

            public Task PlaceAsync(OrderPlaced placed) => store.AppendAsync(new NewEvent(placed));
        }
        """);

    [Fact]
    public Task An_object_a_base_class_and_a_name_have_no_class_to_judge() => RuleTest.FindsAsync<MissingEventTypeAnalyzer>(
        """
        public record OrderEvent(string OrderId);

        [EventType("order-placed")]
        public record OrderPlaced(string OrderId) : OrderEvent(OrderId);

        class Desk(IEventStore store)
        {
            public static DecisionProjection<int> Count =>
                DecisionProjection.Create(0).On<OrderPlaced>((count, _) => count + 1).On("order-paid", (count, _) => count - 1);

            public Task AppendAsync<T>(object data, OrderEvent e, T any) where T : notnull =>
                store.AppendAsync([new NewEvent(data), new NewEvent(e), new NewEvent(any), new NewEvent(new OrderPlaced("o1"))]);
        }
        """);

    [Theory]
    [InlineData("OrderPlaced", "order-placed")]
    [InlineData("ABTestStarted", "ab-test-started")]
    [InlineData("Order2Paid", "order2-paid")]
    [InlineData("VAT", "vat")]
    public Task The_name_is_made_of_the_words_of_the_class(string type, string name) =>
        RuleTest.MendsAsync<MissingEventTypeAnalyzer, AddEventTypeFix>(
        $$"""
        public record {{type}};

        class Events
        {
            public static Query Query => {|OPSM0002:Query.For<{{type}}>()|};
        }
        """,
        $$"""
        [EventType("{{name}}")]
        public record {{type}};

        class Events
        {
            public static Query Query => Query.For<{{type}}>();
        }
        """);
}
