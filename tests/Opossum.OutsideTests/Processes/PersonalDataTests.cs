using System.Globalization;
using Opossum.Maintenance;
using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

/// <summary>Personal data that several processes append, read and forget.</summary>
public sealed class PersonalDataTests : IDisposable
{
    private static readonly Tag ann = new("customer", "ann");

    private readonly ITestOutputHelper output;
    private readonly StoreFolder folder = new();
    private readonly string masterKeyFile;

    public PersonalDataTests(ITestOutputHelper output)
    {
        this.output = output;
        masterKeyFile = NewMasterKey("master.key");
    }

    public void Dispose() => folder.Dispose();

    [Fact]
    public async Task A_process_that_has_the_key_in_memory_drops_it_when_another_forgets_the_person()
    {
        LongTests.SkipUnlessAsked();
        using var reader = await StartAsync();
        using var forgetter = await StartAsync();
        Assert.Equal("1", await AskAsync(forgetter, "register ann", "registered "));
        Assert.Equal("Name of ann", await AskAsync(reader, "read", "read "));

        reader.Say("watch Forgotten");
        await reader.HearAsync("watching");
        Assert.Equal("2", await AskAsync(forgetter, "forget ann", "forgotten at "));

        // With a clock of its own another test holds that this is so within a second.
        output.WriteLine($"The reader saw it {await reader.HearAsync("seen after ")} after it began to watch");
        Assert.Equal("Forgotten", await AskAsync(forgetter, "read", "read "));
        await using (var store = await OpenAsync())
        {
            var refused = await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(CustomerRegistered.Of("ann"))]));
            Assert.Contains("was forgotten", refused.Message, StringComparison.Ordinal);
        }
        await folder.CheckAsync();
    }

    [Fact]
    public async Task A_forgetting_whose_process_is_killed_before_any_of_its_changes_is_finished_by_a_second_call()
    {
        LongTests.SkipUnlessAsked();
        // One of three, unless OPOSSUM_TEST_ALL=1 asks for each: every one is a process.
        var stride = Environment.GetEnvironmentVariable("OPOSSUM_TEST_ALL") == "1" ? 1 : 3;
        var steps = Seed.Choose(output) % stride;
        for (var isHalted = true; isHalted; steps += stride)
        {
            using var killed = new StoreFolder();
            isHalted = await KillAsync(killed, steps);
            await using (var store = await OpenAsync(killed))
            {
                var result = await store.ForgetAsync(ann, "asked again");
                Assert.Equal(isHalted ? result.Position : null, result.Position);
                Assert.Equal(["Forgotten", "Name of bob"], await CustomerDesk.ReadAsync(store));
                Assert.Equal(1, await store.ReadAsync(Query.For<PersonForgotten>(ann)).CountAsync());
                Assert.Equal(3, await store.GetHeadAsync());
            }
            Assert.DoesNotContain(Directory.GetFiles(killed.Layout.Keys), file => file.EndsWith(".forgetting", StringComparison.Ordinal));
            await killed.CheckAsync();
        }
        output.WriteLine($"killed before one of {stride} of {steps - stride} changes");
        Assert.InRange(steps, 10, int.MaxValue);
    }

    [Fact]
    public async Task Processes_that_need_the_keys_of_the_same_persons_at_once_make_each_once()
    {
        LongTests.SkipUnlessAsked();
        const int Persons = 40;
        using var one = await StartAsync();
        using var other = await StartAsync();
        var ids = Enumerable.Range(0, Persons).Select(number => $"c{number}").ToList();

        foreach (var worker in (WorkerProcess[])[one, other])
            worker.Say($"register {string.Join(' ', ids)}");
        foreach (var worker in (WorkerProcess[])[one, other])
            Assert.Equal($"{Persons}", await worker.HearAsync("registered "));

        Assert.Equal(Persons, Directory.GetFiles(folder.Layout.Keys, "customer%3a*.json").Length);
        var names = (await AskAsync(one, "read", "read ")).Split(", ");
        Assert.Equal(names, (await AskAsync(other, "read", "read ")).Split(", "));
        Assert.Equal(ids.SelectMany(static id => (string[])[$"Name of {id}", $"Name of {id}"]).Order(StringComparer.Ordinal),
            names.Order(StringComparer.Ordinal));
        await folder.CheckAsync();
    }

    [Fact]
    public async Task The_master_key_is_replaced_while_processes_append_and_make_keys()
    {
        LongTests.SkipUnlessAsked();
        // An odd number: the last one leaves the new key.
        const int persons = 61;
        using var one = await StartAsync();
        using var other = await StartAsync();
        var next = NewMasterKey("next.key");
        // Both have read the store's key, which they keep, before it is encrypted with another.
        await AskAsync(one, "register first", "registered ");
        await AskAsync(other, "register second", "registered ");

        var (current, wanted) = (Read(masterKeyFile), Read(next));
        for (var number = 0; number < persons; number++)
        {
            one.Say($"register a{number}");
            other.Say($"register b{number}");
            Assert.True(await PersonalKeys.RotateMasterKeyAsync(folder.Path, current, wanted));
            (current, wanted) = (wanted, current);
            await one.HearAsync("registered ");
            await other.HearAsync("registered ");
        }

        await Assert.ThrowsAsync<PersonalDataException>(() => FileSystemEventStore.OpenAsync(CustomerDesk.OptionsOf(folder.Path, masterKeyFile)));
        await using (var store = await FileSystemEventStore.OpenAsync(CustomerDesk.OptionsOf(folder.Path, next)))
        {
            var names = await CustomerDesk.ReadAsync(store);
            Assert.Equal(2 + (2 * persons), names.Count);
            Assert.All(names, static name => Assert.StartsWith("Name of ", name, StringComparison.Ordinal));
        }
        await folder.CheckAsync();
    }

    // False: the forgetting has no such change any more, and came to its end.
    private async Task<bool> KillAsync(StoreFolder killed, int changes)
    {
        using var worker = WorkerProcess.Start("customers", killed.Path, masterKeyFile);
        await worker.HearAsync("ready");
        await AskAsync(worker, "register ann bob", "registered ");
        await AskAsync(worker, string.Create(CultureInfo.InvariantCulture, $"halt {changes}"), "to halt");
        worker.Say("forget ann");
        var isHalted = await worker.HearOrEndAsync() == "halted";
        worker.Kill();
        await worker.EndAsync();
        return isHalted;
    }

    private async Task<WorkerProcess> StartAsync()
    {
        var worker = WorkerProcess.Start("customers", folder.Path, masterKeyFile);
        await worker.HearAsync("ready");
        return worker;
    }

    private static async Task<string> AskAsync(WorkerProcess worker, string line, string start)
    {
        worker.Say(line);
        return await worker.HearAsync(start);
    }

    private Task<FileSystemEventStore> OpenAsync(StoreFolder? other = null) =>
        FileSystemEventStore.OpenAsync(CustomerDesk.OptionsOf((other ?? folder).Path, masterKeyFile));

    private static MasterKey Read(string file) => MasterKey.FromText(File.ReadAllText(file));

    // Beside the store's folder.
    private string NewMasterKey(string name)
    {
        var file = Path.Combine(Path.GetDirectoryName(folder.Path)!, name);
        File.WriteAllText(file, MasterKey.Create().ToText());
        return file;
    }
}
