using Microsoft.CodeAnalysis;
using Opossum.Analyzers;
using Opossum.CodeFixes;

namespace Opossum.AnalyzerTests;

public sealed class IgnoredAppendTests
{
    [Fact]
    public Task A_method_that_returns_nothing_does_not_await() => RuleTest.MendsAsync<IgnoredAppendAnalyzer, AwaitAppendFix>(
        """
        class Desk(IEventStore store)
        {
            // Closes it.
            public void Close(NewEvent closed)
            {
                {|OPSM0001:store.AppendAsync(closed)|};
            }
        }
        """,
        """
        class Desk(IEventStore store)
        {
            // Closes it.
            public async Task Close(NewEvent closed)
            {
                await store.AppendAsync(closed);
            }
        }
        """);

    [Fact]
    public Task All_appends_are_awaited_at_once() => RuleTest.MendsAllAsync<IgnoredAppendAnalyzer, AwaitAppendFix>(
        """
        class Desk(IEventStore store)
        {
            public void Close(NewEvent closed)
            {
                {|OPSM0001:store.AppendAsync(closed)|};
                Again();
                _ = {|OPSM0001:store.AppendAsync([closed])|};

                void Again() => {|OPSM0001:store.AppendAsync(closed)|};
            }

            public async Task OpenAsync(NewEvent opened)
            {
                _ = {|OPSM0001:store.AppendAsync([opened])|};
                await Task.Yield();
                _ = {|OPSM0001:store.AppendAsync(opened)|};
            }
        }
        """,
        """
        class Desk(IEventStore store)
        {
            public async Task Close(NewEvent closed)
            {
                await store.AppendAsync(closed);
                Again();
                await store.AppendAsync([closed]);

                async Task Again() => await store.AppendAsync(closed);
            }

            public async Task OpenAsync(NewEvent opened)
            {
                await store.AppendAsync([opened]);
                await Task.Yield();
                await store.AppendAsync(opened);
            }
        }
        """);

    [Fact]
    public Task A_discard_does_not_await() => RuleTest.MendsAsync<IgnoredAppendAnalyzer, AwaitAppendFix>(
        """
        class Desk(IEventStore store)
        {
            public async Task CloseAsync(NewEvent closed)
            {
                _ = {|OPSM0001:store.AppendAsync([closed])|};
                await Task.Yield();
            }
        }
        """,
        """
        class Desk(IEventStore store)
        {
            public async Task CloseAsync(NewEvent closed)
            {
                await store.AppendAsync([closed]);
                await Task.Yield();
            }
        }
        """);

    [Fact]
    public Task A_method_of_one_expression_does_not_await() => RuleTest.MendsAsync<IgnoredAppendAnalyzer, AwaitAppendFix>(
        """
        class Desk
        {
            void Close(IEventStore store) =>
                {|OPSM0001:store.AppendAsync(NewEvent.FromJson("closed", "{}"))|};
        }
        """,
        """
        class Desk
        {
            async Task Close(IEventStore store) =>
                await store.AppendAsync(NewEvent.FromJson("closed", "{}"));
        }
        """);

    [Theory]
    [InlineData("void Close(NewEvent closed) { lock (this) { {|OPSM0001:store.AppendAsync(closed)|}; } }")]
    [InlineData("async Task CloseAsync(NewEvent closed) { lock (this) { _ = {|OPSM0001:store.AppendAsync(closed)|}; } await Task.Yield(); }")]
    [InlineData("public void Handle(NewEvent closed) { {|OPSM0001:store.AppendAsync(closed)|}; }")]
    [InlineData("public override void Close(NewEvent closed) => {|OPSM0001:store.AppendAsync(closed)|};")]
    [InlineData("public virtual void CloseAll(NewEvent closed) => {|OPSM0001:store.AppendAsync(closed)|};")]
    [InlineData("partial void OnClosed(NewEvent closed) => {|OPSM0001:store.AppendAsync(closed)|};")]
    [InlineData("void Close(in NewEvent closed, string why) => {|OPSM0001:store.AppendAsync(closed)|};")]
    [InlineData("void Close(NewEvent closed, ReadOnlySpan<char> why) { {|OPSM0001:store.AppendAsync(closed)|}; }")]
    [InlineData("void Close() { void Close(in NewEvent closed) => {|OPSM0001:store.AppendAsync(closed)|}; Close(null!); }")]
    [InlineData("void OnElapsed(object? sender, UnhandledExceptionEventArgs e) { {|OPSM0001:store.AppendAsync((NewEvent)sender!)|}; }")]
    [InlineData("void CloseOne(NewEvent closed) => {|OPSM0001:store.AppendAsync(closed)|}; void All(List<NewEvent> all) => all.ForEach(CloseOne);")]
    [InlineData("void CloseOne() => {|OPSM0001:store.AppendAsync([])|}; Action Closing => new Action(this.CloseOne);")]
    [InlineData("Action Closing() { return CloseOne; void CloseOne() => {|OPSM0001:store.AppendAsync([])|}; }")]
    public Task What_cannot_await_stays(string member) => RuleTest.LeavesAsync<IgnoredAppendAnalyzer, AwaitAppendFix>($$"""
        interface IHandler
        {
            void Handle(NewEvent closed)
            {
            }
        }

        class Handler
        {
            public virtual void Close(NewEvent closed)
            {
            }
        }

        partial class Desk(IEventStore store) : Handler, IHandler
        {
            partial void OnClosed(NewEvent closed);

            {{member}}
        }
        """);

    [Theory]
    [InlineData("class Closing(Desk desk) { public void Close(List<NewEvent> events) => events.ForEach(desk.Close); }")]
    [InlineData("class Closing { public Action<NewEvent> Of(Desk desk) => desk.Close; }")]
    [InlineData("interface ICloses { void Close(NewEvent closed); } class Other(IEventStore store) : Desk(store), ICloses;")]
    public Task What_another_file_needs_to_return_nothing_stays(string otherFile) => RuleTest.LeavesAsync<IgnoredAppendAnalyzer, AwaitAppendFix>(
        """
        class Desk(IEventStore store)
        {
            public void Close(NewEvent closed) => {|OPSM0001:store.AppendAsync(closed)|};
        }
        """,
        otherFile);

    [Fact]
    public Task A_lambda_that_returns_nothing_does_not_await() => RuleTest.FindsAsync<IgnoredAppendAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public void Close(List<NewEvent> events) => events.ForEach(e => {|OPSM0001:store.AppendAsync(e)|});

            public void Decide(DecisionProjection<int> facts, IEventStore? other) =>
                other?{|OPSM0001:.ExecuteDecisionAsync(facts, free => [])|}.ConfigureAwait(false);
        }
        """);

    [Theory]
    [InlineData("store?{|OPSM0001:.AppendAsync(closed)|}")]
    [InlineData("_ = store?{|OPSM0001:.AppendAsync(closed)|}.ConfigureAwait(false)")]
    public Task A_task_that_may_be_null_stays(string call) => RuleTest.LeavesAsync<IgnoredAppendAnalyzer, AwaitAppendFix>($$"""
        class Desk(IEventStore? store)
        {
            public void Close(NewEvent closed)
            {
                {{call}};
            }
        }
        """);

    [Fact]
    public Task A_program_that_awaits_nothing_does_not_await() => RuleTest.MendsAsync<IgnoredAppendAnalyzer, AwaitAppendFix>(
        """
        IEventStore store = null!;
        {|OPSM0001:store.AppendAsync(NewEvent.FromJson("closed", "{}"))|};
        """,
        """
        IEventStore store = null!;
        await store.AppendAsync(NewEvent.FromJson("closed", "{}"));
        """,
        OutputKind.ConsoleApplication);

    [Fact]
    public Task The_store_may_be_a_users_own() => RuleTest.FindsAsync<IgnoredAppendAnalyzer>(
        """
        abstract class MeteredStore : IEventStore
        {
            public abstract Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
                System.Threading.CancellationToken cancellationToken = default);
            public abstract EventStream ReadAsync(Query query, ReadOptions? options = null,
                System.Threading.CancellationToken cancellationToken = default);
            public abstract Task<long> GetHeadAsync(System.Threading.CancellationToken cancellationToken = default);
            public abstract IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0,
                System.Threading.CancellationToken cancellationToken = default);

            public void Close(NewEvent closed)
            {
                {|OPSM0001:AppendAsync([closed])|};
            }
        }
        """);

    [Fact]
    public Task What_is_awaited_returned_or_kept_is_right() => RuleTest.FindsAsync<IgnoredAppendAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public Task CloseAsync(NewEvent closed) => store.AppendAsync(closed);

            public async Task CloseTwiceAsync(NewEvent closed)
            {
                var first = store.AppendAsync(closed);
                await store.AppendAsync(closed).ConfigureAwait(false);
                await Task.WhenAll(first, Task.Run(() => store.AppendAsync(closed)));
            }

            public long Close(NewEvent closed) => store.AppendAsync(closed).GetAwaiter().GetResult().LastPosition;
        }
        """);

    [Fact]
    public Task What_the_compiler_does_not_warn_about_is_found_in_async_methods_too() => RuleTest.FindsAsync<IgnoredAppendAnalyzer>(
        """
        class Desk(IEventStore? store)
        {
            public async Task CloseAsync(NewEvent closed)
            {
                store?{|OPSM0001:.AppendAsync(closed)|};
                store?{|OPSM0001:.AppendAsync(closed)|}.ConfigureAwait(false);
                var _ = {|OPSM0001:store!.AppendAsync(closed)|};
                await Task.Yield();
            }
        }
        """);

    [Fact]
    public Task A_time_limit_does_not_await() => RuleTest.MendsAsync<IgnoredAppendAnalyzer, AwaitAppendFix>(
        """
        class Desk(IEventStore store)
        {
            public async Task CloseAsync(NewEvent closed)
            {
                _ = {|OPSM0001:store.AppendAsync(closed)|}.WaitAsync(TimeSpan.FromSeconds(1));
                await Task.Yield();
            }
        }
        """,
        """
        class Desk(IEventStore store)
        {
            public async Task CloseAsync(NewEvent closed)
            {
                await store.AppendAsync(closed).WaitAsync(TimeSpan.FromSeconds(1));
                await Task.Yield();
            }
        }
        """);

    [Theory]
    [InlineData("(Task){|OPSM0001:store.AppendAsync(closed)|}", "(Task)store.AppendAsync(closed)")]
    [InlineData("isOpen ? {|OPSM0001:store.AppendAsync(closed)|} : Task.CompletedTask",
        "(isOpen ? store.AppendAsync(closed) : Task.CompletedTask)")]
    [InlineData("isOpen switch { true => {|OPSM0001:store.AppendAsync(closed)|}, _ => Task.CompletedTask }",
        "(isOpen switch { true => store.AppendAsync(closed), _ => Task.CompletedTask })")]
    [InlineData("store?{|OPSM0001:.AppendAsync(closed)|} ?? Task.CompletedTask", "(store?.AppendAsync(closed) ?? Task.CompletedTask)")]
    public Task A_discard_of_one_of_several_tasks_does_not_await(string task, string awaited) =>
        RuleTest.MendsAsync<IgnoredAppendAnalyzer, AwaitAppendFix>($$"""
            class Desk(IEventStore store, bool isOpen)
            {
                public async Task CloseAsync(NewEvent closed)
                {
                    _ = {{task}};
                    await Task.Yield();
                }
            }
            """,
            $$"""
            class Desk(IEventStore store, bool isOpen)
            {
                public async Task CloseAsync(NewEvent closed)
                {
                    await {{awaited}};
                    await Task.Yield();
                }
            }
            """);

    [Fact]
    public Task A_task_that_is_chosen_and_returned_is_right() => RuleTest.FindsAsync<IgnoredAppendAnalyzer>(
        """
        class Desk(IEventStore store, bool isOpen)
        {
            public Task CloseAsync(NewEvent closed) => isOpen ? store.AppendAsync(closed) : Task.CompletedTask;

            public void Close(NewEvent closed) => _ = store.AppendAsync(closed) switch { { IsCompleted: true } => 1, _ => 2 };
        }
        """);

    // CS4014 says it already.
    [Fact]
    public Task What_the_compiler_warns_about_is_not_said_twice() => RuleTest.FindsAsync<IgnoredAppendAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public async Task CloseAsync(NewEvent closed)
            {
                store.AppendAsync(closed);
                await Task.Yield();
            }
        }
        """);
}
