using Opossum.Analyzers;
using Opossum.CodeFixes;

namespace Opossum.AnalyzerTests;

public sealed class ConditionTests
{
    [Fact]
    public Task The_head_of_a_later_read_hides_events_from_the_condition() => RuleTest.MendsAsync<ConditionAnalyzer, UseHeadFix>(
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(Query seats, Query students, NewEvent taken)
            {
                var events = store.ReadAsync(seats);
                var others = store.ReadAsync(students);
                await foreach (var e in events)
                    Console.WriteLine(e.Position);
                await others.ToListAsync();
                await store.AppendAsync(taken, new AppendCondition(seats, After: {|OPSM0007:others.Head|}));
            }
        }
        """,
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(Query seats, Query students, NewEvent taken)
            {
                var events = store.ReadAsync(seats);
                var others = store.ReadAsync(students);
                await foreach (var e in events)
                    Console.WriteLine(e.Position);
                await others.ToListAsync();
                await store.AppendAsync(taken, new AppendCondition(seats, After: events.Head));
            }
        }
        """);

    [Fact]
    public Task All_conditions_have_the_head_of_their_read_at_once() => RuleTest.MendsAllAsync<ConditionAnalyzer, UseHeadFix>(
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(Query seats, Query students, NewEvent taken)
            {
                var events = store.ReadAsync(seats);
                var others = store.ReadAsync(students);
                await events.ToListAsync();
                await others.ToListAsync();
                await store.AppendAsync(taken, new AppendCondition(seats, After: {|OPSM0007:others.Head|}));
                await store.AppendAsync([taken], new AppendCondition(seats, After: {|OPSM0007:others.Head|}));
            }
        }
        """,
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(Query seats, Query students, NewEvent taken)
            {
                var events = store.ReadAsync(seats);
                var others = store.ReadAsync(students);
                await events.ToListAsync();
                await others.ToListAsync();
                await store.AppendAsync(taken, new AppendCondition(seats, After: events.Head));
                await store.AppendAsync([taken], new AppendCondition(seats, After: events.Head));
            }
        }
        """);

    [Fact]
    public Task A_read_whose_result_has_no_head_is_not_offered() => RuleTest.LeavesAsync<ConditionAnalyzer, UseHeadFix>(
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(Query seats, Query students, NewEvent taken)
            {
                var last = store.ReadLastAsync(seats);
                var others = store.ReadAsync(students);
                await others.ToListAsync();
                await store.AppendAsync(taken, new AppendCondition(seats, After: {|OPSM0007:others.Head|}));
            }
        }
        """);

    [Fact]
    public Task A_read_whose_variable_is_not_there_is_not_offered() => RuleTest.LeavesAsync<ConditionAnalyzer, UseHeadFix>(
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(Query seats, Query students, NewEvent taken)
            {
                try
                {
                    var events = store.ReadAsync(seats);
                    await events.ToListAsync();
                }
                finally
                {
                    var events = store.ReadAsync(students);
                    await events.ToListAsync();
                    await store.AppendAsync(taken, new AppendCondition(seats, After: {|OPSM0007:events.Head|}));
                }
            }
        }
        """);

    [Fact]
    public Task The_head_of_the_store_after_the_read_hides_events_from_the_condition() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(Query seats, NewEvent taken)
            {
                var count = 0;
                await foreach (var e in store.ReadAsync(seats))
                    count++;
                await store.AppendAsync(taken, new AppendCondition(seats, After: {|OPSM0007:await store.GetHeadAsync()|}));
                var head = await store.GetHeadAsync();
                await store.AppendAsync([taken], new AppendCondition(seats, {|OPSM0007:head|}));
                var later = await store.GetHeadAsync().ConfigureAwait(false);
                await store.AppendAsync(taken, new AppendCondition(seats, {|OPSM0007:later|})).ConfigureAwait(false);
                await store.AppendAsync(taken, new AppendCondition(seats, {|OPSM0007:await store.GetHeadAsync().ConfigureAwait(false)|}));
            }
        }
        """);

    [Fact]
    public Task An_older_position_and_that_of_the_own_read_are_right() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(Query seats, Query students, NewEvent taken)
            {
                var before = await store.GetHeadAsync();
                var others = store.ReadAsync(students);
                var events = store.ReadAsync(seats);
                await store.AppendAsync(taken, new AppendCondition(seats, After: events.Head));
                await store.AppendAsync(taken, new AppendCondition(seats, After: before));
                await store.AppendAsync(taken, new AppendCondition(seats, After: others.Head));
                await store.AppendAsync(taken, new AppendCondition(Query.All, After: events.Head));
                var again = store.ReadAsync(seats);
                await store.AppendAsync(taken, new AppendCondition(seats, After: again.Head));
            }
        }
        """);

    [Fact]
    public Task A_stream_is_read_where_it_is_enumerated() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(Query seats, Query students, NewEvent taken, bool isTaken)
            {
                var others = store.ReadAsync(students);
                var events = store.ReadAsync(seats).Where(static e => e.Position > 0);
                if (isTaken)
                    await store.AppendAsync(taken);
                var head = await store.GetHeadAsync();
                var count = await events.CountAsync();
                await store.AppendAsync(taken, new AppendCondition(seats, After: head));
                await foreach (var e in others)
                    count++;
                await store.AppendAsync(taken, new AppendCondition(seats, After: {|OPSM0007:others.Head|}));
                if (count < 3)
                    await {|OPSM0009:store.AppendAsync(taken)|};
            }

            public async Task TakeLaterAsync(Query seats, Query students, NewEvent taken)
            {
                var events = store.ReadAsync(seats);
                var others = store.ReadAsync(students);
                await others.ToListAsync();
                await events.ToListAsync();
                await store.AppendAsync(taken, new AppendCondition(seats, After: others.Head));
            }

            public async Task TakeBegunAsync(Query seats, NewEvent taken)
            {
                var reading = store.ReadAsync(seats).ToListAsync();
                var head = await store.GetHeadAsync();
                await reading;
                await store.AppendAsync(taken, new AppendCondition(seats, After: {|OPSM0007:head|}));
            }
        }
        """);

    [Fact]
    public Task A_read_of_another_lambda_does_not_come_before() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public void Map(Action<Func<EventStream>> mapGet, Action<Func<NewEvent, Task>> mapPost, Query seats)
            {
                mapGet(() => store.ReadAsync(seats));
                mapPost(async taken =>
                {
                    var head = await store.GetHeadAsync();
                    await store.AppendAsync(taken, new AppendCondition(seats, After: head));
                });
            }

            public async Task TakeAsync(Func<Func<Task>, Task> tryOften, Query seats, NewEvent taken)
            {
                await foreach (var e in store.ReadAsync(seats))
                    Console.WriteLine(e.Position);
                await tryOften(() => TakeAtAsync());

                async Task TakeAtAsync() =>
                    await store.AppendAsync(taken, new AppendCondition(seats, After: {|OPSM0007:await store.GetHeadAsync()|}));
            }
        }
        """);

    [Fact]
    public Task A_read_of_another_branch_does_not_come_before() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public async Task HandleAsync(string command, Query seats, NewEvent taken)
            {
                switch (command)
                {
                    case "read":
                        await foreach (var e in store.ReadAsync(seats))
                            Console.WriteLine(e.Position);
                        break;
                    case "take":
                        var head = await store.GetHeadAsync();
                        await store.AppendAsync(taken, new AppendCondition(seats, After: head));
                        break;
                    case { Length: 0 }:
                        if (taken.Tags.Count > 0)
                            await store.AppendAsync(taken);
                        break;
                }
            }

            public async Task TakeAsync(string command, Query seats, NewEvent taken)
            {
                if (command == "look")
                    Console.WriteLine(await store.ExistsAsync(seats));
                else if (command == "force")
                    await store.AppendAsync(taken, new AppendCondition(seats, After: await store.GetHeadAsync()));
                else
                    await store.AppendAsync(taken);
            }
        }
        """);

    [Fact]
    public Task An_append_that_depends_on_a_read_has_no_condition() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(Query seats, NewEvent taken)
            {
                if (!await store.ExistsAsync(seats))
                    await {|OPSM0009:store.AppendAsync(taken)|};
                var count = 0;
                await foreach (var e in store.ReadAsync(seats))
                    count++;
                if (count < 3)
                    await {|OPSM0009:store.AppendAsync([taken], null)|};
            }
        }
        """);

    [Fact]
    public Task An_append_that_depends_on_no_read_needs_no_condition() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        class Desk(IEventStore store, IEventStore other)
        {
            public async Task TakeAsync(Query seats, NewEvent taken, bool isTaken, AppendCondition nothingNew)
            {
                if (isTaken)
                    await store.AppendAsync(taken);
                await foreach (var e in store.ReadAsync(seats))
                    Console.WriteLine(e.Position);
                await store.AppendAsync(taken);
                if (isTaken)
                    await store.AppendAsync(taken, nothingNew);
                if (isTaken)
                    await other.AppendAsync(taken);
            }
        }
        """);

    [Fact]
    public Task An_append_after_a_guard_that_depends_on_a_read_has_no_condition() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public async Task<bool> TakeAsync(Query seats, NewEvent taken)
            {
                var free = 20;
                await foreach (var e in store.ReadAsync(seats))
                    free--;
                var isFull = free <= 0;
                if (isFull)
                    return false;
                using (new MemoryStream())
                    await {|OPSM0009:store.AppendAsync(taken)|};
                return true;
            }

            public async Task TakeOrThrowAsync(Query seats, NewEvent taken)
            {
                if (await store.ReadLastAsync(seats) is not { } last)
                    throw new InvalidOperationException();
                await {|OPSM0009:store.AppendAsync(taken)|};
            }

            public async Task TakeEachAsync(Dictionary<NewEvent, Query> all)
            {
                foreach (var (taken, query) in all)
                {
                    var others = new List<long>();
                    var events = store.ReadAsync(query);
                    await foreach (var e in events)
                        others.Add(e.Position);
                    if (others.Count > 3)
                        continue;
                    await {|OPSM0009:store.AppendAsync(taken)|};
                }
            }

            public async Task TakeFirstAsync(Query seats, NewEvent taken)
            {
                await foreach (var e in store.ReadAsync(seats))
                    return;
                await {|OPSM0009:store.AppendAsync(taken)|};
            }
        }
        """);

    [Fact]
    public Task Top_level_statements_have_guards() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "store" });
        if (await store.ExistsAsync(Query.All))
            return;
        await {|OPSM0009:store.AppendAsync(NewEvent.FromJson("begun", "{}"))|};
        """, Microsoft.CodeAnalysis.OutputKind.ConsoleApplication);

    [Fact]
    public Task A_guard_that_depends_on_no_read_or_does_not_leave_needs_no_condition() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        class Desk(IEventStore store, IEventStore other)
        {
            public async Task TakeAsync(Query seats, NewEvent taken, bool isTaken)
            {
                var events = store.ReadAsync(seats);
                var free = await events.CountAsync();
                if (isTaken)
                    return;
                await store.AppendAsync(taken);
                if (isTaken)
                    await store.AppendAsync(taken);
                if (free < 3)
                    Console.WriteLine(free);
                await store.AppendAsync(taken);
                if (free < 1)
                    return;
                await other.AppendAsync(taken);
                await store.AppendAsync(taken, new AppendCondition(seats, After: events.Head));
            }
        }
        """);

    [Fact]
    public Task A_query_is_the_same_where_it_is_written_the_same() => RuleTest.FindsAsync<ConditionAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            public async Task TakeAsync(string course, string student, NewEvent taken)
            {
                var events = store.ReadAsync(Query.FromTags(new Tag("course", course)));
                var others = store.ReadAsync(Query.FromTags(new Tag("student", student)));
                await events.ToListAsync();
                await others.ToListAsync();
                await store.AppendAsync(taken, new AppendCondition(Query.FromTags(new Tag("course", course)), {|OPSM0007:others.Head|}));
                await store.AppendAsync(taken,
                    new AppendCondition(Query.FromTags(new Tag("course", course))) { After = {|OPSM0007:await store.GetHeadAsync()|} });
                await store.AppendAsync(taken, new AppendCondition(Query.FromTags( new Tag("course", course))) { After = events.Head });
                await store.AppendAsync(taken, new AppendCondition(Query.FromTags(new Tag("room", course))) { After = others.Head });
            }

            public async Task TakeOtherAsync(NewEvent taken)
            {
                {
                    var course = "c1";
                    Console.WriteLine(await store.ExistsAsync(Query.FromTags(new Tag("course", course))));
                }
                {
                    var course = "c2";
                    var head = await store.GetHeadAsync();
                    await store.AppendAsync(taken, new AppendCondition(Query.FromTags(new Tag("course", course)), After: head));
                }
            }
        }
        """);
}
