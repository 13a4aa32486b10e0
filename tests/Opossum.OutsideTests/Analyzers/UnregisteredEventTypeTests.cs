using Microsoft.CodeAnalysis;
using Opossum.Analyzers;

namespace Opossum.AnalyzerTests;

public sealed class UnregisteredEventTypeTests
{
    private const string Events = """


        [EventType("placed")]
        record Placed(string Id);

        [EventType("paid")]
        record Paid(string Id);
        """;

    [Fact]
    public Task A_program_uses_a_class_that_it_does_not_register() => FindsAsync(
        """
        var options = new OpossumOptions();
        options.EventTypes.Add<Placed>();
        IEventStore store = null!;
        await store.AppendAsync(new NewEvent({|OPSM0008:new Paid("o1")|}));
        await store.AppendAsync(new NewEvent(new Placed("o1")));
        var count = {|OPSM0008:DecisionProjection.Create(0).On<Placed>((count, _) => count + 1).On<Paid>((count, _) => count - 1)|};
        var query = {|OPSM0008:Query.For<Placed, Paid>()|};
        """);

    [Theory]
    [InlineData("options.EventTypes.AddAssembly(typeof(Paid).Assembly);")]
    [InlineData("options.EventTypes.Add(typeof(Paid));")]
    [InlineData("options.EventTypes.Add<Paid>(\"paid\");")]
    [InlineData("void Add<T>() => options.EventTypes.Add<T>(); Add<Paid>();")]
    [InlineData("options.EventTypes.AddMine();")]
    [InlineData("options.EventTypes.AddGenerated();")]
    public Task It_may_be_registered_in_another_way(string registration) => FindsAsync(
        $$"""
        var options = new OpossumOptions();
        options.EventTypes.Add<Placed>();
        {{registration}}
        IEventStore store = null!;
        await store.AppendAsync(new NewEvent(new Paid("o1")));
        """);

    [Fact]
    public Task A_class_that_other_code_cannot_name_is_not_generated() => FindsAsync(
        """
        var options = new OpossumOptions();
        options.EventTypes.AddGenerated();
        IEventStore store = null!;
        await Desk.SendAsync(store);
        await store.AppendAsync(new NewEvent(new Placed("o1")));
        await store.AppendAsync(new NewEvent({|OPSM0008:new Inner("o1")|}));

        class Desk
        {
            [EventType("sent")]
            private record Sent(string Id);

            public static Task SendAsync(IEventStore store) => store.AppendAsync(new NewEvent({|OPSM0008:new Sent("o1")|}));
        }

        [EventType("inner")]
        file record Inner(string Id);
        """);

    // Who uses the library registers its classes.
    [Fact]
    public Task A_library_is_not_judged() => RuleTest.FindsAsync<UnregisteredEventTypeAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public void Register(OpossumOptions options) => options.EventTypes.Add<Placed>();

            public Task PayAsync() => store.AppendAsync(new NewEvent(new Paid("o1")));
        }
        """ + Events);

    private static Task FindsAsync(string program) => RuleTest.FindsAsync<UnregisteredEventTypeAnalyzer>(
        program + Events + """


        static class Mine { public static EventTypeRegistry AddMine(this EventTypeRegistry types) => types; }

        static class GeneratedEventTypes { public static EventTypeRegistry AddGenerated(this EventTypeRegistry types) => types; }
        """,
        OutputKind.ConsoleApplication);
}
