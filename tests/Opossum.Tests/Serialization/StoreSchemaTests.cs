using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Microsoft.Extensions.Logging;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Tests.Durability;
using Opossum.Tests.Personal;

namespace Opossum.Tests.Serialization;

/// <summary>
/// What a store says of its event types: who writes it, who is warned by it, and whom it keeps from storing personal
/// data in plain.
/// </summary>
public sealed class StoreSchemaTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;
    private readonly Logs logs = new();
    private ILoggerFactory? loggerFactory;

    public StoreSchemaTests() => loggerFactory = logs;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private string Store => Path.Combine(folder, "store");

    private string Schemas => Path.Combine(Store, "Schemas");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task First_append_of_a_class_writes_what_its_json_is_and_which_members_are_personal()
    {
        await AppendAsync(Customers.Registered(), types => types.Add<CustomerRegistered>());

        var schema = Read("customer-registered.v1.json");
        var members = schema["properties"]!;

        Assert.Equal(("https://json-schema.org/draft/2020-12/schema", "customer-registered", 1),
            ((string?)schema["$schema"], (string?)schema["title"], (int?)schema["x-version"]));
        Assert.Equal(["customerId", "email"], schema["required"]!.AsArray().Select(static each => (string?)each));
        Assert.Equal([null, "customer"], new[] { "customerId", "email" }.Select(
            name => (string?)members[name]!["x-personal"]));
        Assert.Equal("customer", (string?)members["address"]!["properties"]!["street"]!["x-personal"]);
        Assert.Equal("person:personId", (string?)members["contacts"]!["items"]!["properties"]!["phone"]!["x-personal"]);
        Assert.True((await StoreCheck.RunAsync(Store)).IsClean);
    }

    [Fact]
    public async Task Source_generated_class_is_described_too()
    {
        await AppendAsync(Customers.Registered(), static types => types.Add(CustomersJson.Default.CustomerRegistered));

        Assert.Equal("customer", (string?)Read("customer-registered.v1.json")["properties"]!["email"]!["x-personal"]);
    }

    [Fact]
    public async Task Members_that_are_personal_by_their_paths_are_marked_also_where_the_class_says_nothing_of_them()
    {
        var mail = new Dictionary<string, object> { ["mail"] = new { work = "ann@example.org" } };
        await AppendAsync(new Loose(mail),
            static types => types.Add<Loose>("loose").AddPersonal("loose", "any.mail.work", "customer"));

        var any = Read("loose.v1.json")["properties"]!["any"]!;

        Assert.Equal("customer", (string?)any["properties"]!["mail"]!["properties"]!["work"]!["x-personal"]);
    }

    [Fact]
    public async Task Members_that_are_personal_by_their_paths_are_marked_in_the_one_of_two_lists_of_a_class()
    {
        var notes = new Notes([new Note("in plain")], [new Note("Ann Archer")]);
        await AppendAsync(notes, static types => types.Add<Notes>("notes").AddPersonal("notes", "second[].text", "customer"));

        var members = Read("notes.v1.json")["properties"]!;

        Assert.Equal([null, "customer"], new[] { "first", "second" }.Select(
            name => (string?)members[name]!["items"]!["properties"]!["text"]!["x-personal"]));
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store, ReadOnly = true }, Cancellation);
        Assert.Equal(["second[].text"], Assert.Single(await store.GetSchemasAsync(Cancellation)).PersonalMembers);
    }

    [Fact]
    public async Task Schema_that_is_there_is_never_written_again()
    {
        await AppendAsync(new First(1), static types => types.Add<First>("a"));
        var path = Path.Combine(Schemas, "a.v1.json");
        await File.AppendAllTextAsync(path, " \n", Cancellation);
        var text = await File.ReadAllTextAsync(path, Cancellation);

        await AppendAsync(new First(2), static types => types.Add<First>("a"));

        Assert.Equal(text, await File.ReadAllTextAsync(path, Cancellation));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Member_that_becomes_personal_in_the_same_version_is_marked_in_the_store_and_in_its_backup_for_good(bool hasLog)
    {
        loggerFactory = hasLog ? logs : null;
        var mail = new Loose(new Dictionary<string, object> { ["mail"] = "ann@example.org", ["phone"] = "555-0101" });
        await AppendAsync(mail, static types => types.Add<Loose>("loose").AddPersonal("loose", "any.phone", "customer"));
        var backup = Path.Combine(folder, "backup");
        await StoreBackup.RunAsync(Store, backup, cancellationToken: Cancellation);

        await AppendAsync(mail, static types => types.Add<Loose>("loose").AddPersonal("loose", "any.phone", "customer")
            .AddPersonal("loose", "any.mail", "customer"));
        await AppendAsync(mail, static types => types.Add<Loose>("loose").AddPersonal("loose", "any.phone", "customer"));
        await StoreBackup.RunAsync(Store, backup, cancellationToken: Cancellation);

        Assert.Equal("customer", (string?)Read("loose.v1.json")["properties"]!["any"]!["properties"]!["mail"]!["x-personal"]);
        Assert.Equal(await File.ReadAllTextAsync(Path.Combine(Schemas, "loose.v1.json"), Cancellation),
            await File.ReadAllTextAsync(Path.Combine(backup, "Schemas", "loose.v1.json"), Cancellation));
    }

    [Fact]
    public async Task Marks_of_apps_that_call_different_members_of_a_version_personal_stay_in_the_store_and_in_its_backup()
    {
        var path = Path.Combine(Schemas, "a.v1.json");
        var backup = Path.Combine(folder, "backup");
        await AppendAsync(new Mailed("ann@example.org", "555-0101", new Mailed(null, null, null)), Mail);
        await StoreBackup.RunAsync(Store, backup, cancellationToken: Cancellation);
        await AppendAsync(new Phoned("ann@example.org", "555-0101", new Phoned(null, null, null)), Phone);
        var text = await File.ReadAllTextAsync(path, Cancellation);
        await AppendAsync(new Mailed(null, null, null), Mail);
        await AppendAsync(new Phoned(null, null, null), Phone);

        Assert.Equal(text, await File.ReadAllTextAsync(path, Cancellation));
        foreach (var member in new[] { "email", "phone" })
            Assert.Equal("customer", (string?)Read("a.v1.json")["properties"]![member]!["x-personal"]);
        Assert.Equal("customer", (string?)Read("a.v1.json")["properties"]!["any"]!["properties"]!["mail"]!["x-personal"]);
        Assert.Empty(Warnings("cannot read"));

        // The store may have been restored from an older backup, or its folder deleted.
        File.Delete(path);
        await AppendAsync(new Phoned(null, null, null), Phone);
        await StoreBackup.RunAsync(Store, backup, cancellationToken: Cancellation);
        Assert.Contains("any.mail", PersonalMembersOf(Path.Combine(backup, "Schemas", "a.v1.json")));
        Assert.Contains("phone", PersonalMembersOf(Path.Combine(backup, "Schemas", "a.v1.json")));

        static void Mail(EventTypeRegistry types) => types.Add<Mailed>("a").AddPersonal("a", "any.mail", "customer");
        static void Phone(EventTypeRegistry types) => types.Add<Phoned>("a");
        static IReadOnlyList<string> PersonalMembersOf(string path) => EventSchema.Read(File.ReadAllBytes(path))!.Members.Personal;
    }

    [Fact]
    public async Task Half_a_schema_is_written_again()
    {
        await AppendAsync(new First(1), static types => types.Add<First>("a"));
        var path = Path.Combine(Schemas, "a.v1.json");
        var text = await File.ReadAllTextAsync(path, Cancellation);
        await File.WriteAllTextAsync(path, text[..20], Cancellation);

        await AppendAsync(new First(2), static types => types.Add<First>("a"));

        Assert.Equal(text, await File.ReadAllTextAsync(path, Cancellation));
    }

    [Fact]
    public async Task Names_of_types_that_are_no_file_names_do_not_meet()
    {
        NewEvent[] events = [new(new First(1)), new(new Second(1)), new(new Third(1)), new(new Fourth(1))];
        await using (var store = await OpenAsync(
            static types => types.Add<First>("con").Add<Second>("../a b").Add<Third>("A").Add<Fourth>("a")))
        {
            await store.AppendAsync(events, cancellationToken: Cancellation);
        }

        Assert.Equivalent(new[] { "%63on.v1.json", "%2e%2e%2fa%20b.v1.json", "%41.v1.json", "a.v1.json" },
            Directory.GetFiles(Schemas).Select(Path.GetFileName), strict: true);
        await using var reader = await OpenAsync(static _ => { });
        Assert.Equivalent(new[] { "con", "../a b", "A", "a" },
            (await reader.GetSchemasAsync(Cancellation)).Select(static each => each.EventType));
    }

    [Fact]
    public async Task Events_appended_as_json_need_no_class_and_leave_no_schema()
    {
        await using var store = await OpenAsync(static types => types.Add<First>("a"));

        await store.AppendAsync([NewEvent.FromJson("b", "{}")], cancellationToken: Cancellation);

        Assert.False(Directory.Exists(Schemas));
    }

    [Fact]
    public async Task Schema_that_cannot_be_written_fails_no_append()
    {
        await using var store = await OpenAsync(static types => types.Add<First>("a"));
        await File.WriteAllTextAsync(Schemas, "not a folder", Cancellation);

        await store.AppendAsync([new NewEvent(new First(1))], cancellationToken: Cancellation);
        await store.AppendAsync([new NewEvent(new First(2))], cancellationToken: Cancellation);

        Assert.Equal(2, await store.GetHeadAsync(Cancellation));
        Assert.Single(Warnings("could not be read or written"));
    }

    [Fact]
    public async Task Class_that_lacks_a_member_of_another_version_of_the_app_is_warned_of()
    {
        await AppendAsync(new Wide(1, 2), static types => types.Add<Wide>("a"));
        await using var reader = await OpenAsync(static types => types.Add<First>("a"), readOnly: true);

        var warning = Assert.Single(Warnings("cannot read all events of the type a"));
        var status = await reader.ReadStatusAsync(withCounts: false, withSizes: false, Cancellation);

        Assert.Contains("a.v1.json", warning, StringComparison.Ordinal);
        Assert.Contains("the member other (integer) was removed", warning, StringComparison.Ordinal);
        Assert.Single(status.SchemaFindings);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Member_of_an_older_version_that_is_personal_by_its_path_is_no_misfit_of_the_class_that_lacks_it(bool opensWithPath)
    {
        EventTypeRegistry Register(EventTypeRegistry types, bool withPath = true)
        {
            types.Add<Renamed>("a", version: 2).AddUpcaster("a", 1, static json =>
                new JsonObject { ["displayName"] = json["name"]!.DeepClone() });
            return withPath ? types.AddPersonal("a", "name", "customer").AddPersonal("a", "contact.lines[].text", "customer") : types;
        }
        await AppendAsync(new Renamed("Ann"), types => Register(types));

        await using var store = await OpenAsync(types => Register(types, opensWithPath));

        Assert.Empty(await FindingsOf(store));
        Assert.Equal(["displayName", "name", "contact.lines[].text"], Assert.Single(await store.GetSchemasAsync(Cancellation)).PersonalMembers);
        Assert.Empty(Warnings("cannot read"));
    }

    [Fact]
    public async Task Newer_version_that_appears_while_a_store_is_open_is_found_by_the_health_check_once()
    {
        await using var old = await OpenAsync(static types => types.Add<First>("a"));
        await old.AppendAsync([new NewEvent(new First(1))], cancellationToken: Cancellation);

        await AppendAsync(new Wide(1, 2),
            static types => types.Add<Wide>("a", version: 2).AddUpcaster("a", 1, static json => json));
        var findings = new[] { await FindingsOf(old), await FindingsOf(old) };

        Assert.Equal(["a.v1.json", "a.v2.json"], Directory.GetFiles(Schemas).Select(Path.GetFileName).Order());
        Assert.All(findings, static each => Assert.Contains("writes version 2, and this one reads up to version 1",
            Assert.Single(each), StringComparison.Ordinal));
        Assert.Single(Warnings("cannot read all events"));
    }

    [Fact]
    public async Task Schema_of_a_newer_version_whose_append_was_refused_is_named_by_its_path_and_can_be_deleted()
    {
        await AppendAsync(new First(1), static types => types.Add<First>("a"));
        await using (var store = await OpenAsync(static types => types.Add<Wide>("a", version: 2).AddUpcaster("a", 1, static json => json)))
        {
            await Assert.ThrowsAsync<AppendConditionFailedException>(() =>
                store.AppendAsync([new NewEvent(new Wide(1, 2))], new AppendCondition(Query.All), Cancellation));
        }
        var path = Path.Combine(Schemas, "a.v2.json");
        await using (var old = await OpenAsync(static types => types.Add<First>("a")))
            Assert.Contains(path, Assert.Single(await FindingsOf(old)), StringComparison.Ordinal);

        File.Delete(path);

        await using var again = await OpenAsync(static types => types.Add<First>("a"));
        Assert.Empty(await FindingsOf(again));
        Assert.Single(await again.ReadAllAsync());
    }

    [Fact]
    public async Task Classes_that_read_what_others_write_are_not_warned_of()
    {
        await AppendAsync(new First(1), static types => types.Add<First>("a"));
        await AppendAsync(new Tolerant(1), static types => types.Add<Tolerant>("a"));
        await AppendAsync(new Tolerant(1),
            static types => types.Add<Tolerant>("a", version: 2).AddUpcaster("a", 1, static json => json));

        Assert.Empty(Warnings("cannot read"));
    }

    [Fact]
    public async Task Opening_for_reading_writes_no_schema()
    {
        await AppendAsync(new First(1), static types => types.Add<First>("a"));
        Directory.Delete(Schemas, recursive: true);

        await using var reader = await OpenAsync(static types => types.Add<First>("a"), readOnly: true);
        await foreach (var e in reader.ReadAsync(Query.All, cancellationToken: Cancellation))
            Assert.NotNull(e.Data);

        Assert.False(Directory.Exists(Schemas));
    }

    [Fact]
    public async Task Stores_that_race_leave_one_whole_schema()
    {
        var stores = new List<FileSystemEventStore>();
        for (var each = 0; each < 4; each++)
            stores.Add(await OpenAsync(static types => types.Add<First>("a")));

        await Task.WhenAll(stores.Select(
            static store => store.AppendAsync([new NewEvent(new First(1))], cancellationToken: Cancellation)));

        Assert.Equal(["a.v1.json"], Directory.GetFiles(Schemas).Select(Path.GetFileName));
        Assert.Equal("a", Assert.Single(await stores[0].GetSchemasAsync(Cancellation)).EventType);
        foreach (var store in stores)
            await store.DisposeAsync();
    }

    // The exporter of schemas does not describe what has references.
    [Fact]
    public async Task A_class_that_cannot_be_described_is_appended_and_keeps_no_store_from_opening()
    {
        await AppendAsync(new First(1), static types => types.Add<First>("a"));
        await using var store = await OpenAsync(static types => types.Add<Second>("a")
            .UseJsonSerializerOptions(new(JsonSerializerDefaults.Web) { ReferenceHandler = ReferenceHandler.Preserve }));

        Assert.Empty(await FindingsOf(store));
        await store.AppendAsync([new NewEvent(new Second(2))], cancellationToken: Cancellation);
    }

    // The exporter of schemas serializes default values: that of a date is null to it, and NaN is no JSON.
    [Fact]
    public async Task A_default_value_without_json_of_its_own_keeps_no_class_from_being_described()
    {
        await AppendAsync(new Dated("d1"), static types => types.Add<Dated>("dated"));
        await AppendAsync(new Rated(new Dated("d1"), 0.5), static types => types.Add<Rated>("rated"));

        var (dated, rated) = (Read("dated.v1.json"), Read("rated.v1.json")["properties"]!);
        Assert.Equal("date", (string?)dated["properties"]!["day"]!["format"]);
        Assert.Equal("customer", (string?)dated["properties"]!["name"]!["x-personal"]);
        Assert.Equal("customer", (string?)rated["dated"]!["properties"]!["name"]!["x-personal"]);
        Assert.All([dated, rated["dated"]!], static each => Assert.Equal(["id"], each["required"]!.AsArray().Select(static name => (string?)name)));
        Assert.Equal("double", Assert.Single(rated["rate"]!["x-forms"]!.AsArray())!.ToString().Split(' ')[1]);
        Assert.Contains("\"day\": \"", EventTypeLock.Create(new EventTypeRegistry().Add<Dated>("dated")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_first_append_of_a_class_is_cancelled_while_another_process_has_the_lock()
    {
        await AppendAsync(new First(1), static types => types.Add<First>("a"));
        await using var store = await OpenAsync(static types => types.Add<Second>("b"));

        Assert.IsAssignableFrom<OperationCanceledException>(ErrorOfCancelledWhileLocked(store, new Second(1)));
    }

    [Fact]
    public async Task Appends_that_wait_beside_a_first_one_of_a_class_can_be_cancelled_and_the_status_waits_for_none()
    {
        await AppendAsync(new First(1), static types => types.Add<First>("a"));
        await using var store = await OpenAsync(static types => types.Add<Second>("b"));

        var first = Task.FromResult(default(AppendResult));

        Assert.IsAssignableFrom<OperationCanceledException>(ErrorOfCancelledWhileLocked(store, new Second(2), before: () =>
        {
            first = store.AppendAsync([new NewEvent(new Second(1))], cancellationToken: Cancellation);
            store.GetStatusAsync(cancellationToken: Cancellation).GetAwaiter().GetResult();
        }));
        Assert.Equal(2, (await first).LastPosition);
    }

    // On one thread: who took the lock frees it.
    private Exception? ErrorOfCancelledWhileLocked(FileSystemEventStore store, object data, Action? before = null)
    {
        using var fileSystem = RealFileSystem.Create();
        using var locks = new StoreLock(new StoreFolder(fileSystem, new StoreLayout(Store)), TimeProvider.System);
        using var held = locks.Acquire(TimeSpan.FromSeconds(10), cancellationToken: Cancellation);
        before?.Invoke();
        using var cancelled = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        var append = store.AppendAsync([new NewEvent(data)], cancellationToken: cancelled.Token);
        cancelled.Cancel();
        return Record.Exception(() => append.GetAwaiter().GetResult());
    }

    private sealed record Dated([property: Tag("customer")] string Id, DateOnly Day = default, [property: Personal("customer")] string? Name = null);

    private sealed record Rated(Dated Dated, double Rate = double.NaN);

    [Fact]
    public async Task Copies_of_a_store_have_its_schemas()
    {
        string[] copies = [.. new[] { "backup", "restored", "replica" }.Select(name => Path.Combine(folder, name))];
        await AppendAsync(new First(1), static types => types.Add<First>("a"));
        await StoreReplica.UpdateAsync(Store, copies[2], cancellationToken: Cancellation);
        await AppendAsync(new Second(1), static types => types.Add<Second>("b"));

        await StoreReplica.UpdateAsync(Store, copies[2], cancellationToken: Cancellation);
        await StoreBackup.RunAsync(Store, copies[0], cancellationToken: Cancellation);
        await StoreBackup.RestoreAsync(copies[0], copies[1], cancellationToken: Cancellation);

        foreach (var copy in copies)
        {
            var names = Directory.GetFiles(Path.Combine(copy, "Schemas")).Select(Path.GetFileName);
            Assert.Equal(["a.v1.json", "b.v1.json"], names.Order());
            Assert.True((await StoreCheck.RunAsync(copy, cancellationToken: Cancellation)).IsClean);
        }
    }

    [Fact]
    public async Task Writer_without_the_classes_learns_what_is_personal_before_any_event_shows_it()
    {
        await AppendAsync(new Person("p1", null, null), static types => types.Add<Person>("person"));
        await using var store = await OpenAsync(static _ => { });

        var plain = await PersonalDataSearch.FindPlainAsync(store, [
            NewEvent.FromJson("person", """{"id":"p2","name":null}"""),
            NewEvent.FromJson("person", """{"id":"p2","child":{"id":"p3","child":{"id":"p4","Name":"Ann"}}}"""),
            NewEvent.FromJson("other", """{"name":"Ann"}""")], Cancellation);

        Assert.Equal((1, "child.child.Name", 0L),
            Assert.Single(plain.Select(static each => (each.Event, each.Member, each.ShownBy))));
    }

    [Fact]
    public async Task Import_refuses_a_member_in_plain_that_a_schema_says_is_personal()
    {
        var other = Path.Combine(folder, "other");
        await AppendAsync(new Person("p1", null, null), static types => types.Add<Person>("person"));
        var otherOptions = new OpossumOptions { Path = other };
        await using (var source = await FileSystemEventStore.OpenAsync(otherOptions, Cancellation))
        {
            await source.AppendAsync([NewEvent.FromJson("person", """{"id":"p2","name":"Ann"}""")],
                cancellationToken: Cancellation);
        }
        using var lines = new MemoryStream();
        await StoreExport.RunAsync(other, lines, cancellationToken: Cancellation);

        lines.Position = 0;
        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(
            () => StoreImport.RunAsync(Store, lines, cancellationToken: Cancellation));
        lines.Position = 0;
        var options = new ImportOptions { AllowPlain = true };
        var allowed = await StoreImport.RunAsync(Store, lines, options, cancellationToken: Cancellation);

        Assert.Contains("Line 1 has the member name in plain, which is personal data: the schema of the type person "
            + "says so", refused.Message, StringComparison.Ordinal);
        Assert.Equal(1, allowed.Imported);
    }

    private static async Task<IReadOnlyList<string>> FindingsOf(FileSystemEventStore store) =>
        (await store.ReadStatusAsync(withCounts: false, withSizes: false, Cancellation)).SchemaFindings;

    private IEnumerable<string> Warnings(string text) =>
        logs.Lines.Select(static line => line.Text).Where(line => line.Contains(text, StringComparison.Ordinal));

    private JsonNode Read(string name) => JsonNode.Parse(File.ReadAllText(Path.Combine(Schemas, name)))!;

    private async Task AppendAsync(object data, Action<EventTypeRegistry> register)
    {
        await using var store = await OpenAsync(register);
        await store.AppendAsync([new NewEvent(data, Customers.Ann)], cancellationToken: Cancellation);
    }

    private Task<FileSystemEventStore> OpenAsync(Action<EventTypeRegistry> register, bool readOnly = false)
    {
        var options = new OpossumOptions { Path = Store, ReadOnly = readOnly, LoggerFactory = loggerFactory };
        options.PersonalData.MasterKey = Customers.Key;
        register(options.EventTypes);
        return FileSystemEventStore.OpenAsync(options, Cancellation);
    }

    private sealed record Note(string Text);

    private sealed record Notes(List<Note> First, List<Note> Second);

    private sealed record First(int Number);

    private sealed record Second(int Number);

    private sealed record Third(int Number);

    private sealed record Fourth(int Number);

    private sealed record Renamed([property: Personal("customer")] string? DisplayName);

    private sealed record Mailed([property: Personal("customer")] string? Email, string? Phone, Mailed? Next);

    private sealed record Phoned(string? Email, [property: Personal("customer")] string? Phone, Phoned? Next);

    private sealed record Wide(int Number, int Other);

    private sealed record Tolerant(long Number, string? Note = null);

    private sealed record Loose(Dictionary<string, object> Any);

    private sealed record Person(string Id, [property: Personal("person", SubjectProperty = "Id")] string? Name,
        Person? Child);
}
