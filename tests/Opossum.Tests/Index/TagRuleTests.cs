using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Definitions;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Personal;
using Opossum.Tests.Projections;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Index;

/// <summary>What a rule that makes a member a tag shows: of events before it and after it, in every process, until it is removed.</summary>
public sealed class TagRuleTests : IDisposable
{
    private static readonly TagRule customer = new("placed", "customer.id", "customer");

    private static readonly TagRule buyer = new("placed", "customer.id", "buyer");

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task Rule_gives_tags_to_events_before_it_and_after_it_and_takes_them_back_when_it_is_removed()
    {
        var store = place.Open();
        await store.AppendAsync([Placed("c1", "order:o1"), Placed("c2"), New("other", "customer:c1")]);
        var before = place.Snapshot(place.Layout.Events);

        Assert.True(await store.AddTagRuleAsync(customer));
        await store.AppendAsync([Placed("c1")]);

        Assert.Equal([1, 3, 4], await store.PositionsAsync(Tagged("customer:c1")));
        Assert.Equal([1], await store.PositionsAsync(Tagged("customer:c1", "order:o1")));
        Assert.Equal([4], await store.PositionsAsync(Query.FromItems(Item(["placed"], "customer:c1")),
            new ReadOptions { Backwards = true, Limit = 1 }));
        Assert.Equal(["order:o1", "customer:c1"], (await store.ReadAllAsync())[0].Tags.Select(static tag => $"{tag}"));
        Assert.Equal([customer], await store.GetTagRulesAsync());
        Assert.False(await store.AddTagRuleAsync(customer));
        Assert.All(before.Where(static file => file.Value is not null), file => Assert.Equal(file.Value, place.Bytes(file.Key)));

        Assert.True(await store.RemoveTagRuleAsync(customer));
        Assert.False(await store.RemoveTagRuleAsync(customer));

        Assert.Equal([3], await store.PositionsAsync(Tagged("customer:c1")));
        Assert.Equal(["order:o1"], (await store.ReadAllAsync())[0].Tags.Select(static tag => $"{tag}"));
        Assert.Equal([], place.Names(place.Layout.Rules));
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task A_rule_of_the_options_whose_type_nobody_knows_is_logged()
    {
        await place.Open().AppendAsync([Placed("c1")]);
        using var logs = new Logs();
        place.Open(options =>
        {
            options.LoggerFactory = logs;
            options.TagRules.Add(customer);
            options.TagRules.Add(new TagRule("plaecd", "customer.id", "customer"));
        });

        Assert.Contains("plaecd", Assert.Single(logs.Lines, static line => line.Id == 16).Text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Open_reader_shows_a_rule_at_once_and_nobody_waits_for_that(bool readOnly)
    {
        var (one, other) = (place.Open(), place.Open(options => options.ReadOnly = readOnly));
        await one.AppendAsync([Placed("c1")]);
        Assert.Equal([1], await other.PositionsAsync(Query.All));
        var begun = place.Clock.GetTimestamp();

        await one.AddTagRuleAsync(customer);

        Assert.Equal([1], await other.PositionsAsync(Tagged("customer:c1")));
        await one.AppendAsync([Placed("c1")]);
        Assert.Equal([1, 2], await other.PositionsAsync(Tagged("customer:c1")));
        await one.RemoveTagRuleAsync(customer);
        Assert.Equal([], await other.PositionsAsync(Tagged("customer:c1")));
        Assert.Equal(begun, place.Clock.GetTimestamp());
    }

    [Fact]
    public async Task Process_that_was_open_before_a_rule_tags_its_events_and_judges_conditions_by_it()
    {
        var (one, other) = (place.Open(), place.Open());
        await other.AppendAsync([Placed("c1")]);
        await one.AddTagRuleAsync(customer);

        // Without a read in between: the condition alone shows whether the process knows the rule.
        var refused = await Assert.ThrowsAsync<AppendConditionFailedException>(() =>
            other.AppendAsync([Placed("c1")], new AppendCondition(Tagged("customer:c1"))));
        await other.AppendAsync([Placed("c2")], new AppendCondition(Tagged("customer:c2")));

        Assert.Equal(1, refused.ConflictingPosition);
        Assert.Equal([2], await one.PositionsAsync(Tagged("customer:c2")));
        await one.RemoveTagRuleAsync(customer);
        await other.AppendAsync([Placed("c1")], new AppendCondition(Tagged("customer:c1")));
        Assert.Equal([], await one.PositionsAsync(Tagged("customer:c1")));
    }

    [Fact]
    public async Task Of_appends_at_once_with_a_condition_on_a_tag_of_a_rule_one_is_stored()
    {
        var store = place.Open();
        await store.AddTagRuleAsync(customer);

        var outcomes = await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => Task.Run(async () =>
        {
            try
            {
                await store.AppendAsync([Placed("c1")], new AppendCondition(Tagged("customer:c1")));
                return 1;
            }
            catch (AppendConditionFailedException)
            {
                return 0;
            }
        })));

        Assert.Equal(1, outcomes.Sum());
    }

    [Theory]
    [InlineData("""{"v":"a:b ü"}""", "v", "a:b ü")]
    [InlineData("""{"v":""}""", "v", "")]
    [InlineData("""{"v":1.50}""", "v", "1.50")]
    [InlineData("""{"v":true}""", "v", "true")]
    [InlineData("""{"v":{"w":7}}""", "v.w", "7")]
    [InlineData("""{"a.b":"x"}""", """["a.b"]""", "x")]
    [InlineData("""{"v":[{"w":"x"},{"u":1},{"w":"y"},{"w":"x"},3]}""", "v[].w", "x y")]
    [InlineData("""{"v":["x",null,2,["z"],{}]}""", "v[]", "x 2")]
    [InlineData("""{"v":null}""", "v", null)]
    [InlineData("""{"v":{"w":7}}""", "v", null)]
    [InlineData("""{"v":["x"]}""", "v", null)]
    [InlineData("""{"w":{"v":"x"}}""", "v", null)]
    [InlineData("""{"v":"x"}""", "v.w", null)]
    [InlineData("\"x\"", "v", null)]
    public async Task Texts_numbers_and_truth_values_become_tags_and_nothing_else_does(string json, string member, string? values)
    {
        var store = place.Open();
        await store.AppendAsync([NewEvent.FromJson("t", json)]);

        await store.AddTagRuleAsync(new TagRule("t", member, "key"));

        var tags = (await store.ReadAllAsync()).Single().Tags.Select(static tag => tag.Value).ToList();
        Assert.Equal(values is null ? [] : json.Contains('[', StringComparison.Ordinal) ? values.Split(' ') : [values], tags);
    }

    [Fact]
    public async Task Text_that_is_too_long_for_a_tag_gives_none()
    {
        var store = place.Open();
        await store.AddTagRuleAsync(customer);

        await store.AppendAsync([Placed(new string('c', Tag.MaxValueLength)), Placed(new string('c', Tag.MaxValueLength + 1))]);

        Assert.Equal([1, 0], (await store.ReadAllAsync()).Select(static e => e.Tags.Count));
    }

    [Fact]
    public async Task Rules_last_when_the_index_is_deleted_and_readers_without_an_index_show_them()
    {
        var store = place.Open();
        await store.AppendAsync([Placed("c1")]);
        await store.AddTagRuleAsync(customer);
        await store.AppendAsync([Placed("c1"), Placed("c2")]);
        place.CloseStores();

        place.Delete(place.Layout.IndexFile);

        Assert.Equal([1, 2], await place.Open(static options => options.ReadOnly = true).PositionsAsync(Tagged("customer:c1")));
        place.CloseStores();
        Assert.Equal([1, 2], await place.Open().PositionsAsync(Tagged("customer:c1")));
        place.CloseStores();
        Assert.Equal([1, 2], await place.Open(static options => options.ReadOnly = true).PositionsAsync(Tagged("customer:c1")));
        place.AssertClean();
    }

    [Fact]
    public async Task Reader_that_is_open_takes_a_rule_in()
    {
        var store = place.Open();
        await store.AppendAsync([Placed("c1")]);
        var reader = place.Open(static options => options.ReadOnly = true);
        Assert.Equal([], await reader.PositionsAsync(Tagged("customer:c1")));

        await store.AddTagRuleAsync(customer);

        Assert.Equal([1], await reader.PositionsAsync(Tagged("customer:c1")));
        await Assert.ThrowsAsync<NotSupportedException>(() => reader.RemoveTagRuleAsync(customer));
    }

    [Fact]
    public async Task Runs_of_the_index_have_the_tags_of_the_rules()
    {
        place.Runs = new() { Length = 8, Fan = 2, LengthMax = 64, InBackground = false };
        var store = place.Open();
        for (var at = 0; at < 30; at++)
            await store.AppendAsync([Placed($"c{at % 3}")]);
        store.MakeRuns();

        await store.AddTagRuleAsync(customer);
        await store.AppendAsync([Placed("c0")]);

        Assert.Contains(place.Names(place.Layout.Index), static name => name.EndsWith(".run", StringComparison.Ordinal));
        Assert.Equal([.. Enumerable.Range(0, 10).Select(static at => 3L * at + 1), 31], await store.PositionsAsync(Tagged("customer:c0")));
        place.CloseStores();
        Assert.Equal(11, (await place.Open().PositionsAsync(Tagged("customer:c0"))).Count);
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Projection_whose_query_names_a_tag_of_a_rule_handles_events_before_and_after_it()
    {
        using var folder = StorePlace.InFolder();
        var store = folder.Open();
        await store.AppendAsync([Placed("c1"), Placed("c2")]);
        await store.AddTagRuleAsync(customer);
        await using var running = store.StartProjections([new Orders()]);

        var last = await store.AppendAsync([Placed("c1")]);

        var orders = store.Projections.Get<Count>();
        await orders.WaitForAsync(last.LastPosition);
        Assert.Equal(2, (await orders.GetAsync("c1"))!.Number);
        Assert.Null(await orders.GetAsync("c2"));
    }

    [Fact]
    public async Task Options_add_rules_that_the_store_does_not_have()
    {
        await place.Open().AppendAsync([Placed("c1")]);
        place.CloseStores();

        var store = place.Open(static options => options.TagRules.Add(customer));

        Assert.Equal([1], await store.PositionsAsync(Tagged("customer:c1")));
        var inMemory = InMemoryEventStore.Open(new OpossumOptions { TagRules = { customer } });
        await inMemory.AppendAsync([Placed("c1")]);
        Assert.Equal([1], await inMemory.PositionsAsync(Tagged("customer:c1")));
        await inMemory.DisposeAsync();
    }

    [Fact]
    public async Task Encrypted_member_is_refused_and_a_member_beside_it_is_not()
    {
        var store = place.OpenCustomers(Customers.Key);
        await store.AppendAsync([new NewEvent(Customers.Registered())]);

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() =>
            store.AddTagRuleAsync(new TagRule("customer-registered", "address.street", "street")));
        await Assert.ThrowsAsync<StoreMaintenanceException>(() =>
            store.AddTagRuleAsync(new TagRule("customer-registered", "contacts[].phone", "phone")));

        Assert.Contains("\"address.street\" is personal data", refused.Message, StringComparison.Ordinal);
        Assert.Equal([], await store.GetTagRulesAsync());
        Assert.False(place.Exists(place.Layout.Rules));
        Assert.True(await store.AddTagRuleAsync(new TagRule("customer-registered", "address.city", "city")));
        Assert.Equal([1], await store.PositionsAsync(Tagged("city:Springfield")));
    }

    [Theory]
    [InlineData("t", "a", "$key")]
    [InlineData("t", "a", "k:ey")]
    [InlineData("t", "a.$sealed", "key")]
    [InlineData("opossum.person-forgotten", "reason", "key")]
    [InlineData("", "a", "key")]
    [InlineData("t", "", "key")]
    [InlineData("t", "a..b", "key")]
    public void Rule_that_is_not_allowed_is_refused(string type, string member, string key) =>
        Assert.ThrowsAny<ArgumentException>(() => new TagRule(type, member, key));

    [Fact]
    public async Task Options_with_no_rule_in_the_place_of_one_are_refused_before_a_store_is_made()
    {
        var options = new OpossumOptions { Path = Path.Combine(Path.GetTempPath(), $"opossum-{Guid.NewGuid():N}"), TagRules = { null! } };

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => FileSystemEventStore.OpenAsync(options));

        Assert.Contains("TagRules", refused.Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(options.Path));
    }

    [Fact]
    public async Task File_that_is_no_rule_is_named_with_a_way_out_by_every_opening()
    {
        var store = place.Open();
        await store.AppendAsync([Placed("c1")]);
        var path = $"{place.Layout.Rules}/mine.json";
        place.Put(path, """{ "type": "placed", "member": "customer.id" }"""u8);

        var add = await Assert.ThrowsAsync<StoreOpenException>(() => store.AddTagRuleAsync(customer));
        place.CloseStores();
        var open = Assert.Throws<StoreOpenException>(() => place.Open());
        var status = await place.Open(static options => options.ReadOnly = true).GetStatusAsync();
        place.CloseStores();
        place.Delete(place.Layout.IndexFile);
        Assert.Throws<StoreOpenException>(() => place.Open());

        Assert.Equal($"{path} is not a tag rule: It has no member \"key\". Correct the file, or delete it.", add.Message);
        Assert.Equal((path, add.Message), (open.Path, open.Message));
        Assert.Equal(add.Message, status.TagRulesProblem);
        Assert.Contains(add.Message, status.ToString(), StringComparison.Ordinal);
        Assert.Contains(place.Check().Findings, finding => finding.Path == path && finding.Remedy == Remedy.MoveAway);
    }

    [Theory]
    [InlineData("")]
    [InlineData("#\"type\":\"placed\",\"member\":\"customer.id\",\"key\":\"customer\"}")]
    public async Task File_of_a_removed_rule_is_none(string text)
    {
        await place.Open().AppendAsync([Placed("c1")]);
        place.CloseStores();
        place.Put($"{place.Layout.Rules}/mine.json", Encoding.UTF8.GetBytes(text));

        Assert.Equal([], await place.Open().GetTagRulesAsync());
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task More_files_than_a_store_may_have_rules_are_named_by_their_folder_with_a_way_out()
    {
        await place.Open().AppendAsync([Placed("c1")]);
        place.CloseStores();
        for (var number = 0; number <= TagRuleSet.CountMax; number++)
        {
            place.Put($"{place.Layout.Rules}/{number}.json",
                Encoding.UTF8.GetBytes($$"""{ "type": "placed", "member": "m{{number}}", "key": "customer" }"""));
        }

        var open = Assert.Throws<StoreOpenException>(() => place.Open());
        var status = await place.Open(static options => options.ReadOnly = true).GetStatusAsync();
        place.CloseStores();

        Assert.Equal($"{place.Layout.Rules} has 257 tag rules; a store has at most 256. Delete some of the files.", open.Message);
        Assert.Equal(open.Message, status.TagRulesProblem);
        Assert.Contains(place.Check().Findings, finding => finding.Path == place.Layout.Rules && finding.Message == open.Message);
        place.Delete($"{place.Layout.Rules}/7.json");
        Assert.Equal(TagRuleSet.CountMax, (await place.Open().GetTagRulesAsync()).Count);
    }

    [Fact]
    public async Task Rule_whose_file_was_put_there_by_hand_is_taken_in_by_the_next_opening_for_writing()
    {
        var open = place.Open();
        await open.AppendAsync([Placed("c1")]);
        PutByHand("mine");
        var status = await open.GetStatusAsync();
        var finding = place.Check().Findings.Single();
        using (var reader = place.Open(static options => options.ReadOnly = true))
        {
            Assert.NotNull((await reader.GetStatusAsync()).TagRulesProblem);
            Assert.Equal([], await reader.GetTagRulesAsync());
            Assert.Equal([], await reader.PositionsAsync(Tagged("customer:c1")));
        }

        var store = place.Open();

        Assert.StartsWith($"{place.Layout.Rules} has other tag rules than those by which events are found", status.TagRulesProblem,
            StringComparison.Ordinal);
        Assert.Equal((place.Layout.Rules, Remedy.OpenStore), (finding.Path, finding.Remedy));
        Assert.Equal([customer], await store.GetTagRulesAsync());
        Assert.Equal([1], await store.PositionsAsync(Tagged("customer:c1")));
        // The process that was open has it, too.
        Assert.Null((await open.GetStatusAsync()).TagRulesProblem);
        await Assert.ThrowsAsync<AppendConditionFailedException>(() =>
            open.AppendAsync([Placed("c1")], new AppendCondition(Tagged("customer:c1"))));
        // It is a rule as others are, and its file goes with it.
        Assert.True(await store.RemoveTagRuleAsync(customer));
        Assert.Equal([], place.Names(place.Layout.Rules));
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Rule_whose_file_was_changed_or_deleted_by_hand_is_changed_or_ends_with_the_next_opening_for_writing()
    {
        await place.Open().AppendAsync([Placed("c1")]);
        await place.Open().AddTagRuleAsync(customer);
        place.CloseStores();
        var path = $"{place.Layout.Rules}/{place.Names(place.Layout.Rules).Single()}";

        place.Put(path, """{ "type": "placed", "member": "customer.id", "key": "buyer" }"""u8);
        var store = place.Open();

        Assert.Equal([1], await store.PositionsAsync(Tagged("buyer:c1")));
        Assert.Equal([], await store.PositionsAsync(Tagged("customer:c1")));
        place.CloseStores();
        place.Delete(path);
        store = place.Open();
        Assert.Equal([], await store.PositionsAsync(Tagged("buyer:c1")));
        Assert.Equal([], await store.GetTagRulesAsync());
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Rule_that_was_put_there_by_hand_waits_for_a_rebuild_where_caches_ignore_locks()
    {
        using var fuse = StorePlace.On(VolumeKind.Fuse);
        await fuse.Open().AppendAsync([Placed("c1")]);
        fuse.CloseStores();
        fuse.Put($"{fuse.Layout.Rules}/mine.json", """{ "type": "placed", "member": "customer.id", "key": "customer" }"""u8);

        var problem = (await fuse.Open().GetStatusAsync()).TagRulesProblem;
        fuse.CloseStores();
        Assert.Equal(Remedy.RebuildIndex, fuse.Check().Findings.Single().Remedy);
        fuse.Repair(static store => store.RebuildIndex());

        Assert.EndsWith("\"opossum reindex\" takes the files in.", problem, StringComparison.Ordinal);
        fuse.AssertClean();
        Assert.Equal([1], await fuse.Open().PositionsAsync(Tagged("customer:c1")));
    }

    [Fact]
    public async Task Check_finds_nothing_when_rules_are_changed_between_any_two_of_its_operations()
    {
        var store = await OpenWithRunsAsync(place.Attach());
        for (var at = 1; ; at++)
        {
            var (operations, isChanged) = (0, false);
            using var client = place.Disk!.Attach();
            client.BeforeOperation = _ => isChanged |= ++operations == at && TryChange(store);
            var report = StoreCheck.Run(client, place.Layout, progress: null);

            Assert.Equal([], report.Findings);
            if (operations < at)
                break;
        }
    }

    [Fact]
    public async Task Check_finds_nothing_between_any_two_operations_of_a_change_of_rules()
    {
        using var client = place.Disk!.Attach();
        var store = await OpenWithRunsAsync(client);
        var checks = 0;
        client.BeforeOperation = _ =>
        {
            // Else the check would wait for the change, and the change waits for it.
            if (IsLockFree(place))
            {
                place.AssertClean();
                checks++;
            }
        };

        Assert.True(await store.AddTagRuleAsync(customer));

        client.BeforeOperation = null;
        Assert.True(checks > 10);
    }

    [Fact]
    public async Task Appends_do_not_wait_for_the_flush_of_the_index_of_all_events()
    {
        using var client = place.Disk!.Attach();
        var store = place.Open(client);
        await store.AppendAsync([.. Enumerable.Range(0, 1_001).Select(static at => Placed($"c{at}"))]);
        var (flushed, written, waited) = (0L, 0L, 0L);
        client.BeforeOperation = operation =>
        {
            if (operation.Path != place.Layout.IndexFileStaging)
                return;
            if (operation.Kind == OperationKind.Write)
                written = operation.Offset + operation.Count;
            if (operation.Kind == OperationKind.Flush)
                (flushed, waited) = (written, IsLockFree(place) ? waited : waited + written - flushed);
        };

        Assert.True(await store.AddTagRuleAsync(customer));

        Assert.True(written > 10_000);
        Assert.InRange(waited, 0, written / 10);
    }

    [Theory]
    [InlineData("Ext4", false)]
    [InlineData("Ext4", true)]
    [InlineData("Smb", false)]
    public async Task Appends_do_not_wait_until_the_index_of_all_events_is_read_in_any_process(string kind, bool usesJournal)
    {
        using var each = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        using var client = each.Disk!.Attach();
        using var clientOfOther = each.Disk.Attach();
        var (store, other) = (each.Open(client, Journal), each.Open(clientOfOther, Journal));
        await store.AppendAsync([.. Enumerable.Range(0, 1_001).Select(static at => Placed($"c{at}"))]);
        await other.AppendAsync([Placed("c1")]);
        var read = 0L;
        client.BeforeOperation = clientOfOther.BeforeOperation = operation =>
        {
            if (operation.Kind is OperationKind.Read or OperationKind.ReadPastCache
                && (operation.Path == each.Layout.IndexFile || operation.Path == each.Layout.IndexFileStaging) && !IsLockFree(each))
            {
                read += Math.Clamp(each.Bytes(operation.Path).Length - operation.Offset, 0, operation.Count);
            }
        };

        Assert.True(await store.AddTagRuleAsync(customer));
        var readByIt = read;
        if (usesJournal)
            other.BringFilesUp();
        await Assert.ThrowsAsync<AppendConditionFailedException>(() =>
            other.AppendAsync([Placed("c7")], new AppendCondition(Tagged("customer:c7"))));
        await other.AppendAsync([Placed("c7")]);
        await store.AppendAsync([Placed("c7")]);

        client.BeforeOperation = clientOfOther.BeforeOperation = null;
        Assert.Equal([8, 1_003, 1_004], await store.PositionsAsync(Tagged("customer:c7")));
        Assert.Equal([8, 1_003, 1_004], await other.PositionsAsync(Tagged("customer:c7")));
        var length = each.Bytes(each.Layout.IndexFile).Length;
        Assert.InRange(readByIt, 0, length / 10);
        Assert.InRange(read - readByIt, 0, length / 10);

        // What writes event files takes the lock too, while the index is read without it.
        void Journal(OpossumOptions options) =>
            (options.UseJournal, options.TimeProvider) = (usesJournal, new TimerlessClock(each.Clock));
    }

    [Fact]
    public async Task Appends_do_not_wait_until_the_index_of_all_events_is_made_again_because_another_replaced_it()
    {
        using var client = place.Disk!.Attach();
        var store = place.Open(client);
        await store.AppendAsync([.. Enumerable.Range(0, 1_001).Select(static at => Placed($"c{at}"))]);
        var (isReplaced, underLock) = (false, 0L);
        client.BeforeOperation = operation =>
        {
            var isMade = operation.Path == place.Layout.IndexFileStaging;
            if (isMade && operation.Kind == OperationKind.Flush && !isReplaced)
            {
                isReplaced = true;
                place.Repair(static store => store.RebuildIndex());
            }
            if (isMade && operation.Kind == OperationKind.Write && !IsLockFree(place))
                underLock += operation.Count;
            if (operation.Path == place.Layout.IndexFile && operation.Kind == OperationKind.Read && !IsLockFree(place))
                underLock += Math.Clamp(place.Bytes(operation.Path).Length - operation.Offset, 0, operation.Count);
        };

        Assert.True(await store.AddTagRuleAsync(customer));

        client.BeforeOperation = null;
        Assert.Equal([8], await store.PositionsAsync(Tagged("customer:c7")));
        Assert.True(isReplaced);
        Assert.InRange(underLock, 0, place.Bytes(place.Layout.IndexFile).Length / 10);
    }

    [Fact]
    public async Task Append_that_finds_the_index_replaced_waits_for_the_lock_as_long_as_any_other()
    {
        var timeout = TimeSpan.FromSeconds(10);
        using var client = place.Disk!.Attach();
        var other = await OpenWithReplacedIndexAsync(client, timeout);
        using var files = place.Attach();
        using var another = files.Open(place.Layout.LockFile, FileOpening.ReadWrite)!;
        var isHeld = another.TryLock(StoreLayout.LockOffset);
        var started = place.Clock.GetTimestamp();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Pause && isHeld && place.Clock.GetElapsedTime(started) > timeout * 0.8)
                another.Unlock(StoreLayout.LockOffset);
            // The index that replaced the one in use is read without the lock.
            if (operation.Kind == OperationKind.Open && operation.Path == place.Layout.IndexFile && isHeld)
                isHeld = !another.TryLock(StoreLayout.LockOffset);
        };

        var refused = await Assert.ThrowsAsync<StoreLockTimeoutException>(() => other.AppendAsync([Placed("c2")]));

        client.BeforeOperation = null;
        another.Unlock(StoreLayout.LockOffset);
        Assert.Equal(timeout, refused.Timeout);
        Assert.InRange(place.Clock.GetElapsedTime(started), timeout, timeout + TimeSpan.FromSeconds(1));
        await other.AppendAsync([Placed("c2")]);
        Assert.Equal([2], await other.PositionsAsync(Tagged("customer:c2")));
    }

    [Fact]
    public async Task Time_in_which_an_append_reads_an_index_that_replaced_another_is_no_wait_for_the_lock()
    {
        var timeout = TimeSpan.FromSeconds(10);
        using var client = place.Disk!.Attach();
        var other = await OpenWithReplacedIndexAsync(client, timeout);
        using var files = place.Attach();
        using var another = files.Open(place.Layout.LockFile, FileOpening.ReadWrite)!;
        var (wasRead, hasWaited) = (false, false);
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Open && operation.Path == place.Layout.IndexFile && !wasRead)
            {
                wasRead = another.TryLock(StoreLayout.LockOffset);
                ((SimulatedClock)place.Clock).Advance(timeout);
            }
            if (operation.Kind != OperationKind.Pause || hasWaited)
                return;
            hasWaited = true;
            another.Unlock(StoreLayout.LockOffset);
        };

        await other.AppendAsync([Placed("c2")]);

        client.BeforeOperation = null;
        Assert.Equal((true, true), (wasRead, hasWaited));
    }

    [Fact]
    public async Task Append_of_another_process_is_judged_by_a_rule_that_is_added_between_any_two_of_its_operations()
    {
        for (var at = 1; ; at++)
        {
            using var each = StorePlace.On(VolumeKind.Ext4, shardPositions: 4);
            using var client = each.Disk!.Attach();
            var (store, other) = (each.Open(static options => options.LockTimeout = TimeSpan.Zero), each.Open(client));
            await store.AppendAsync([Placed("c1")]);
            await other.AppendAsync([Placed("c2")]);
            Assert.True(await store.AddTagRuleAsync(buyer));
            var (operations, isAdded) = (0, false);
            client.BeforeOperation = _ => isAdded |= ++operations == at && TryAdd(store, customer);

            await Assert.ThrowsAsync<AppendConditionFailedException>(() =>
                other.AppendAsync([Placed("c1")], new AppendCondition(Tagged("buyer:c1"))));

            client.BeforeOperation = null;
            Assert.Equal(isAdded ? 2 : 1, (await other.GetTagRulesAsync()).Count);
            await other.AppendAsync([Placed("c1")]);
            Assert.Equal(isAdded ? [1, 3] : [], await other.PositionsAsync(Tagged("customer:c1")));
            Assert.Equal([1, 3], await store.PositionsAsync(Tagged("buyer:c1")));
            each.CloseStores();
            each.AssertClean();
            if (operations < at)
                break;
        }
    }

    [Fact]
    public async Task Opening_that_adds_a_rule_waits_for_another_process_that_changes_rules_however_long_that_takes()
    {
        await place.Open().AppendAsync([Placed("c1")]);
        place.CloseStores();
        using var other = place.Attach();
        using var client = place.Disk!.Attach();
        var duty = StoreDuty.TryTake(new StoreFolder(other, place.Layout), Duty.Runs);
        var pauses = 0;
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Pause && ++pauses == 3)
                duty!.Dispose();
        };

        var store = place.Open(client, static options =>
        {
            options.LockTimeout = TimeSpan.Zero;
            options.TagRules.Add(customer);
        });

        Assert.Equal([1], await store.PositionsAsync(Tagged("customer:c1")));
    }

    [Fact]
    public async Task Event_whose_process_ended_before_it_was_in_the_index_has_the_tag()
    {
        using var dying = place.Disk!.Attach();
        var (store, other) = (place.Open(), place.Open(dying));
        await store.AppendAsync([Placed("c1")]);
        dying.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Write && operation.Path == place.Layout.IndexFile)
                dying.Kill();
        };
        Assert.NotNull(await Record.ExceptionAsync(() => other.AppendAsync([Placed("c1")])));

        Assert.True(await store.AddTagRuleAsync(customer));

        Assert.Equal([1, 2], await store.PositionsAsync(Tagged("customer:c1")));
    }

    [Fact]
    public async Task Folder_that_becomes_a_replica_while_the_index_is_made_is_refused_as_one_that_was_before()
    {
        using var client = place.Disk!.Attach();
        using var files = place.Attach();
        var store = place.Open(client);
        await store.AppendAsync([Placed("c1")]);
        client.BeforeOperation = operation =>
        {
            if (operation.Path == place.Layout.IndexFileStaging && operation.Kind == OperationKind.Write)
                new ReplicaFile("/elsewhere", 2).Write(files, place.Layout);
        };
        var during = await Assert.ThrowsAsync<StoreMaintenanceException>(() => store.AddTagRuleAsync(customer));
        client.BeforeOperation = null;

        var before = await Assert.ThrowsAsync<StoreMaintenanceException>(() => store.AddTagRuleAsync(customer));

        Assert.Equal(before.Message, during.Message);
    }

    [Fact]
    public async Task Volume_whose_caches_ignore_locks_is_refused()
    {
        using var fuse = StorePlace.On(VolumeKind.Fuse);

        await Assert.ThrowsAsync<StoreMaintenanceException>(() => fuse.Open().AddTagRuleAsync(customer));
    }

    [Fact]
    public async Task Backups_and_replicas_have_the_rules_and_an_export_has_them_beside_events_without_their_tags()
    {
        using var folder = StorePlace.InFolder();
        var (backup, replica, restored) = ($"{folder.Root}.backup", $"{folder.Root}.replica", $"{folder.Root}.restored");
        var store = folder.Open();
        await store.AppendAsync([Placed("c1")]);
        await store.AddTagRuleAsync(customer);

        await StoreReplica.UpdateAsync(folder.Root, replica);
        await StoreBackup.RunAsync(folder.Root, backup);
        await StoreBackup.RestoreAsync(backup, restored);
        using var output = new MemoryStream();
        await StoreExport.RunAsync(folder.Root, output);

        Assert.Equal([1], await ReadAsync(replica));
        Assert.Equal([1], await ReadAsync(restored));
        var lines = Encoding.UTF8.GetString(output.ToArray()).Split('\n');
        Assert.Equal("""{"tagRule":{"type":"placed","member":"customer.id","key":"customer"}}""", lines[0]);
        Assert.Contains("\"tags\":[]", lines[1], StringComparison.Ordinal);
        Assert.True((await StoreCheck.RunAsync(replica)).IsClean);
        await store.RemoveTagRuleAsync(customer);
        await StoreReplica.UpdateAsync(folder.Root, replica);
        Assert.Equal([], await ReadAsync(replica));
        Assert.True((await StoreCheck.RunAsync(replica)).IsClean);
        await StoreBackup.RunAsync(folder.Root, backup);
        Assert.Equal([], Directory.GetFiles(Path.Combine(backup, "Rules")));

        static async Task<List<long>> ReadAsync(string path)
        {
            await using var copy = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, ReadOnly = true });
            return await copy.PositionsAsync(Tagged("customer:c1"));
        }
    }

    [Fact]
    public async Task Redacted_member_gives_no_tag_any_more()
    {
        await place.Open().AppendAsync([Placed("c1"), Placed("c1")]);
        await place.Open().AddTagRuleAsync(customer);
        place.CloseStores();

        place.Repair(static store => new Opossum.Storage.Repair.Redaction(store, TimeProvider.System).Run(new([1], ["customer.id"], "a request")));

        Assert.Equal([2], await place.Open().PositionsAsync(Tagged("customer:c1")));
    }

    [Fact]
    public async Task Redaction_between_any_two_operations_of_a_change_of_rules_leaves_no_tag()
    {
        var (played, step) = (0, LongTests.Number(4, 1));
        using var start = StorePlace.On(VolumeKind.Ext4, shardPositions: 400);
        // Enough to be indexed before the lock is taken.
        await start.Open().AppendAsync([Placed("c1"), Placed("c1"), .. Enumerable.Range(0, 1_000).Select(static _ => New("other"))]);
        start.CloseStores();
        for (var at = 1 + Seed.Value % step; ; at += step)
        {
            using var each = StorePlace.On(start.Disk!.Copy());
            using var client = each.Disk!.Attach();
            var store = each.Open(client);
            var (operations, isRedacted) = (0, false);
            client.BeforeOperation = _ =>
            {
                if (++operations != at || !IsLockFree(each))
                    return;
                each.Repair(static repaired =>
                    new Opossum.Storage.Repair.Redaction(repaired, TimeProvider.System).Run(new([1], ["customer.id"], "a request")));
                isRedacted = true;
            };

            Assert.True(await store.AddTagRuleAsync(customer));

            client.BeforeOperation = null;
            Assert.Equal(isRedacted ? [2] : [1, 2], await store.PositionsAsync(Tagged("customer:c1")));
            each.CloseStores();
            each.AssertClean();
            played += isRedacted ? 1 : 0;
            if (operations < at)
                break;
        }
        Assert.True(played > 10 / step);
    }

    [Fact]
    public async Task Rule_of_another_process_between_any_two_operations_of_a_change_is_not_lost()
    {
        for (var at = 1; ; at++)
        {
            using var each = StorePlace.On(VolumeKind.Ext4, shardPositions: 4);
            using var client = each.Disk!.Attach();
            var (store, other) = (each.Open(client), each.Open(static options => options.LockTimeout = TimeSpan.Zero));
            await store.AppendAsync([Placed("c1")]);
            var (operations, isAdded) = (0, false);
            client.BeforeOperation = _ => isAdded |= ++operations == at && TryAdd(other, customer);

            await store.AddTagRuleAsync(buyer);

            client.BeforeOperation = null;
            Assert.Equal(isAdded ? 2 : 1, (await store.GetTagRulesAsync()).Count);
            Assert.Equal(isAdded ? [1] : [], await store.PositionsAsync(Tagged("customer:c1")));
            Assert.Equal([1], await store.PositionsAsync(Tagged("buyer:c1")));
            each.CloseStores();
            each.AssertClean();
            if (operations < at)
                break;
        }
    }

    /// <summary>Up to the last look at the lock.</summary>
    [Theory]
    [InlineData("Smb")]
    [InlineData("Nfs")]
    public async Task Rule_of_another_machine_is_not_lost_where_the_one_that_changes_the_rules_loses_its_locks(string kind)
    {
        var looks = 0;
        for (var at = 0; at <= looks; at++)
        {
            using var each = StorePlace.On(Enum.Parse<VolumeKind>(kind), shardPositions: 4);
            using var client = each.Disk!.Attach();
            var (store, other) = (each.Open(client), each.Open());
            await store.AppendAsync([Placed("c1")]);
            var operations = 0;
            client.BeforeOperation = operation =>
            {
                operations++;
                if (at == 0 && operation.Kind == OperationKind.ReadPastCache && operation.Path == each.Layout.LockFile)
                    looks = operations;
                if (operations != at)
                    return;
                client.LoseConnection();
                Assert.True(TryAdd(other, customer));
            };

            if (await Record.ExceptionAsync(() => store.AddTagRuleAsync(buyer)) is { } error)
            {
                Assert.True(Assert.IsType<StoreIOException>(error).IsTransient);
                Assert.Contains("were not changed, or not completely.", error.Message, StringComparison.Ordinal);
                await store.AddTagRuleAsync(buyer);
            }

            client.BeforeOperation = null;
            Assert.Equal(at > 0 ? [1] : [], await store.PositionsAsync(Tagged("customer:c1")));
            Assert.Equal([1], await store.PositionsAsync(Tagged("buyer:c1")));
            each.CloseStores();
            each.AssertClean();
        }
    }

    [Fact]
    public async Task Rule_that_is_added_while_another_machine_waits_after_removing_it_waits_too()
    {
        using var share = StorePlace.On(VolumeKind.Smb);
        using var client = share.Disk!.Attach();
        var (store, other) = (share.Open(client), share.Open(static options => options.LockTimeout = TimeSpan.Zero));
        await store.AppendAsync([Placed("c1")]);
        await store.AddTagRuleAsync(customer);
        await other.GetHeadAsync(TestContext.Current.CancellationToken);
        bool? isAdded = null;
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Pause)
                isAdded ??= TryAdd(other, customer);
        };

        await store.RemoveTagRuleAsync(customer);

        Assert.False(isAdded);
        Assert.True(TryAdd(other, customer));
        Assert.Equal([1], await share.Open().PositionsAsync(Tagged("customer:c1")));
        Assert.Null((await share.Open().GetStatusAsync()).TagRulesProblem);
    }

    // Rules are added and removed in turns. False: the check has the lock.
    private static bool TryChange(FileSystemEventStore store)
    {
        try
        {
            return store.AddTagRuleAsync(customer).GetAwaiter().GetResult() || store.RemoveTagRuleAsync(customer).GetAwaiter().GetResult();
        }
        catch (StoreLockTimeoutException)
        {
            return false;
        }
    }

    // False: the other change is under way.
    private static bool TryAdd(FileSystemEventStore store, TagRule rule)
    {
        try
        {
            return store.AddTagRuleAsync(rule).GetAwaiter().GetResult();
        }
        catch (StoreLockTimeoutException)
        {
            return false;
        }
    }

    // The index that it uses is no longer the store's, which it does not know yet.
    private async Task<FileSystemEventStore> OpenWithReplacedIndexAsync(IFileSystem client, TimeSpan lockTimeout)
    {
        var (store, other) = (place.Open(), place.Open(client, options => options.LockTimeout = lockTimeout));
        await other.AppendAsync([Placed("c1")]);
        Assert.True(await store.AddTagRuleAsync(customer));
        return other;
    }

    private async Task<FileSystemEventStore> OpenWithRunsAsync(IFileSystem client)
    {
        place.Runs = new() { Length = 4, Fan = 2, LengthMax = 32, InBackground = false };
        var store = place.Open(client, static options => options.LockTimeout = TimeSpan.Zero);
        for (var at = 0; at < 10; at++)
            await store.AppendAsync([Placed($"c{at % 3}")]);
        store.MakeRuns();
        return store;
    }

    private static bool IsLockFree(StorePlace at)
    {
        using var other = at.OtherLock();
        try
        {
            other.Acquire(TimeSpan.Zero).Dispose();
            return true;
        }
        catch (StoreLockTimeoutException)
        {
            return false;
        }
    }

    private void PutByHand(string name) =>
        place.Put($"{place.Layout.Rules}/{name}.json", """{ "type": "placed", "member": "customer.id", "key": "customer" }"""u8);

    private sealed class Orders : Projection<Count>
    {
        public Orders()
            : base("orders", 1, new Tag("customer", "c1"))
            => On("placed", static e => [e.Tags.Single().Value], static (count, e) => new Count((count?.Number ?? 0) + 1, e.Position));
    }

    private static NewEvent Placed(string customer, params string[] tags) =>
        NewEvent.FromJson("placed", $$"""{"customer":{"id":"{{customer}}"} }""", [.. tags.Select(Tag.Parse)]);
}
