using System.Buffers;
using System.IO.Compression;
using System.Text;
using System.Text.Json;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Projections.States;
using Opossum.Serialization;
using Opossum.Tests.Reactions;

namespace Opossum.Tests.Personal;

/// <summary>What a store itself keeps in plain of a person: errors of handlers, reasons, events of writers that do not know the classes.</summary>
public sealed class TracesTests : IDisposable
{
    private static readonly Tag ann = Customers.Ann;

    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private string Store => Path.Combine(folder, "store");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Forgetting_takes_the_values_out_of_errors_and_reasons_of_reactions_and_projections()
    {
        await using var store = await OpenAsync();
        var reaction = new RecordingReaction(ReactionStart.Head, (_, _) => throw new InvalidOperationException("550 no mailbox ANN@example.org here"));
        await using var reactions = store.StartReactions([reaction], new ReactionOptions { MaxRetryAttempts = 0 });
        await using var projections = store.StartProjections([new Failing("a"), new Failing("b")], new ProjectionOptions { MaxRetryAttempts = 0 });
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        await store.AppendAsync([RecordingReaction.Placed("a"), RecordingReaction.Placed("b")], cancellationToken: Cancellation);
        await reactions.WaitForAsync(3, Cancellation);
        await store.Reactions["recording"].SkipAsync(2, "Ann Archer has left", cancellationToken: Cancellation);
        foreach (var name in new[] { "a", "b" })
            await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<string>(name).WaitForAsync(2, Cancellation));
        await store.Projections["b"].SkipAsync(2, "asked by ann@example.org", cancellationToken: Cancellation);
        await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<string>("b").WaitForAsync(3, Cancellation));

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        foreach (var text in new[] { "ann@example.org", "ANN@example.org", "Ann Archer" })
        {
            var report = await PersonalDataSearch.RunAsync(Store, text, cancellationToken: Cancellation);
            Assert.True(report.Total == 0, string.Join('\n', report.Hits));
        }
        string[] kinds = ["parked", "skipped", "fault.json"];
        Assert.All(kinds, kind => Assert.Contains(result.Blanked, path => path.Contains(kind, StringComparison.Ordinal)));
        Assert.Equal(([], null), (result.Remaining, result.NotSearched));
        var parked = Assert.Single(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: Cancellation));
        Assert.Contains("550 no mailbox (forgotten) here", parked.Attempts[^1].Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Forgetting_takes_the_values_out_of_what_a_projection_into_a_database_shows()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        var layout = new ProjectionLayout(Path.Combine(Store, "Projections"), "sales");
        Directory.CreateDirectory(layout.Root);
        var row = new PositionRow { Name = "sales", Version = 1 }.With(new ProjectionFault
        {
            Position = 1,
            EventType = "sold",
            Error = "no mailbox ann@example.org",
            At = DateTimeOffset.UnixEpoch,
        });
        RowFile.Write(RealFileSystem.Create(), layout, row);

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.Contains(layout.RowFile, result.Blanked);
        Assert.Equal("no mailbox (forgotten)", RowFile.Read(RealFileSystem.Create(), layout)!.FaultError);
    }

    [Fact]
    public async Task Forgetting_names_data_of_events_that_are_due_later()
    {
        await using var store = await OpenAsync();
        var reaction = new RecordingReaction(ReactionStart.Head, static (context, cancellationToken) => context.ScheduleAsync(DateTimeOffset.MaxValue,
            NewEvent.FromJson("reminder", """{"to":"ann@example.org"}"""), null, cancellationToken));
        await using var reactions = store.StartReactions([reaction]);
        await store.AppendAsync([new NewEvent(Customers.Registered()), RecordingReaction.Placed("a")], cancellationToken: Cancellation);
        await reaction.WaitForAsync(1);

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        var remaining = Assert.Single(result.Remaining);
        Assert.Equal(Assert.Single(Directory.GetFiles(Path.Combine(Store, "Reactions", "recording", "due"))), remaining.Path);
        Assert.Contains("due later", remaining.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_a_master_key_forgetting_says_that_nothing_was_searched()
    {
        await using (var store = await OpenAsync())
            await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        await using var without = await OpenAsync(key: null);

        Assert.Contains("without a master key", (await without.ForgetAsync(ann, "asked for it", Cancellation)).NotSearched, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Forgetting_reports_events_of_the_person_whose_personal_members_are_in_plain_and_a_redaction_removes_them()
    {
        await using (var store = await OpenAsync())
        {
            await using (var plain = await OpenAsync(knowsTypes: false))
            {
                await plain.AppendAsync([
                    InPlain("c1", """{"name":"Ann Archer","Email":"ann@example.org","contacts":[{"personId":"p9","phone":"555-0199"}]}"""),
                    InPlain("c2", """{"email":"bob@example.org"}""")], cancellationToken: Cancellation);
            }
            await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);

            var result = await store.ForgetAsync(ann, "asked for it", Cancellation);
            var contact = await store.ForgetAsync(new Tag("person", "p9"), "asked for it", Cancellation);

            var found = Assert.Single(result.PlainEvents);
            Assert.Equal((1L, "customer-registered"), (found.Position, found.EventType));
            Assert.Equal(["name", "Email"], found.Members);
            Assert.Equal(["contacts[].phone"], Assert.Single(contact.PlainEvents).Members);
        }

        await StoreRepair.RedactAsync(Store, [1], ["name", "Email", "contacts[].phone"], "asked for it", cancellationToken: Cancellation);

        await using var redacted = await OpenAsync();
        Assert.Empty((await redacted.ForgetAsync(ann, "again", Cancellation)).PlainEvents);
        Assert.Equal(0, (await PersonalDataSearch.RunAsync(Store, "ann@example.org", cancellationToken: Cancellation)).Total);
    }

    [Fact]
    public async Task A_redaction_of_each_member_leaves_an_encrypted_value_whole()
    {
        var noted = NewEvent.FromJson("noted", """{"notes":{"a":"likes tea"}}""", ann);
        var options = new OpossumOptions { Path = Store, PersonalData = new PersonalDataOptions { MasterKey = Customers.Key } };
        options.EventTypes.AddPersonal("noted", "notes", "customer");
        await using (var store = await FileSystemEventStore.OpenAsync(options, Cancellation))
            await store.AppendAsync([noted], cancellationToken: Cancellation);
        await using (var plain = await OpenAsync(knowsTypes: false))
            await plain.AppendAsync([NewEvent.FromJson("noted", Encoding.UTF8.GetString(noted.Json.Span), ann)], cancellationToken: Cancellation);

        var report = await StoreRepair.RedactAsync(Store, [1, 2], ["notes{}"], "asked for it", cancellationToken: Cancellation);

        Assert.Equal((1L, 2L), (Assert.Single(report.Unchanged), Assert.Single(report.Redacted)));
        await using var redacted = await OpenAsync();
        var events = await redacted.ReadAllAsync();
        Assert.Equal("""{"notes":{"a":"likes tea"}}""", Encoding.UTF8.GetString(events[0].Json.Span));
        Assert.Equal("""{"notes":{"a":null}}""", Encoding.UTF8.GetString(events[1].Json.Span));
    }

    [Fact]
    public async Task Forgetting_finds_plain_members_that_only_the_registered_class_and_paths_name()
    {
        await using (var plain = await OpenAsync(knowsTypes: false))
        {
            await plain.AppendAsync([
                InPlain("c1", """{"contacts":[{"personId":"p8","phone":"555-0188","note":"p9"},{"PersonId":"p9","phone":"555-0199"}]}"""),
                InPlain("c1", """{"contacts":[{"personId":"p9","phone":null}],"address":{"city":"p9"}}"""),
                NewEvent.FromJson("call", """{"lines":{"a":{"who":9,"number":"555-0177"}}}""")], cancellationToken: Cancellation);
        }
        var options = new OpossumOptions { Path = Store, PersonalData = new PersonalDataOptions { MasterKey = Customers.Key } };
        options.EventTypes.Add<CustomerRegistered>().AddPersonal("call", "lines{}.number", "person", "who");
        await using var store = await FileSystemEventStore.OpenAsync(options, Cancellation);
        var reaction = new RecordingReaction(ReactionStart.Head, (_, _) => throw new InvalidOperationException("no answer from 555-0199 or 555-0177"));
        await using var reactions = store.StartReactions([reaction], new ReactionOptions { MaxRetryAttempts = 0 });
        await store.AppendAsync([RecordingReaction.Placed("a")], cancellationToken: Cancellation);
        await reactions.WaitForAsync(4, Cancellation);

        var contact = await store.ForgetAsync(new Tag("person", "p9"), "asked for it", Cancellation);
        var caller = await store.ForgetAsync(new Tag("person", "9"), "asked for it", Cancellation);

        Assert.Equal((1L, "contacts[].phone"), (Assert.Single(contact.PlainEvents).Position, Assert.Single(contact.PlainEvents[0].Members)));
        Assert.Equal((3L, "lines.a.number"), (Assert.Single(caller.PlainEvents).Position, Assert.Single(caller.PlainEvents[0].Members)));
        Assert.Contains("parked", Assert.Single(contact.Blanked), StringComparison.Ordinal);
        var parked = Assert.Single(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: Cancellation));
        Assert.Contains("no answer from (forgotten) or (forgotten)", parked.Attempts[^1].Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_import_refuses_personal_members_in_plain_unless_they_are_allowed()
    {
        await using (var store = await OpenAsync())
            await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        var source = Path.Combine(folder, "source");
        using var lines = new MemoryStream();
        await using (var plain = await OpenAsync(knowsTypes: false, path: source))
        {
            await plain.AppendAsync([NewEvent.FromJson("other", """{"name":"Ann Archer"}""")], cancellationToken: Cancellation);
            await plain.AppendAsync([InPlain("c2", """{"Name":"Bob","email":null}""")], cancellationToken: Cancellation);
            await StoreExport.RunAsync(source, lines, cancellationToken: Cancellation);
        }

        lines.Position = 0;
        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreImport.RunAsync(Store, lines, cancellationToken: Cancellation));
        lines.Position = 0;
        var allowed = await StoreImport.RunAsync(Store, lines, new ImportOptions { AllowPlain = true }, cancellationToken: Cancellation);

        Assert.Contains("Line 2 has the member Name in plain", refused.Message, StringComparison.Ordinal);
        Assert.Contains("position 1", refused.Message, StringComparison.Ordinal);
        Assert.Equal((1, 1), (allowed.Imported, allowed.Known));
    }

    [Theory]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    public async Task An_import_refuses_a_member_in_plain_that_only_a_later_line_shows_to_be_personal(bool canSeek, bool dryRun)
    {
        var source = Path.Combine(folder, "source");
        using var lines = new MemoryStream();
        await using (var plain = await OpenAsync(knowsTypes: false, path: source))
            await plain.AppendAsync([InPlain("c2", """{"Name":"Bob"}""")], cancellationToken: Cancellation);
        await using (var store = await OpenAsync(path: source))
        {
            await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
            await StoreExport.RunAsync(source, lines, cancellationToken: Cancellation);
        }
        Task<ImportReport> ImportAsync(bool allows)
        {
            Stream input = canSeek ? new MemoryStream(lines.ToArray()) : new GZipStream(Zipped(lines.ToArray()), CompressionMode.Decompress);
            return StoreImport.RunAsync(Store, input, new ImportOptions { CreateIfMissing = true, AllowPlain = allows, DryRun = dryRun },
                cancellationToken: Cancellation);
        }

        foreach (var _ in (int[])[1, 2])
        {
            Assert.Contains(canSeek ? "Line 1 has the member Name in plain, which is personal data: line 2"
                : "Line 2 has the member name encrypted, and line 1, of the same type, has it in plain",
                (await Assert.ThrowsAsync<StoreMaintenanceException>(() => ImportAsync(allows: false))).Message, StringComparison.Ordinal);
        }
        Assert.Equal(2, (await ImportAsync(allows: true)).Read);
        if (!dryRun)
            Assert.Equal(2, (await ImportAsync(allows: false)).Known);
    }

    [Fact]
    public async Task Members_in_plain_are_found_before_an_append_by_what_the_store_shows()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);

        var found = await PersonalDataSearch.FindPlainAsync(store, [
            NewEvent.FromJson("other", """{"email":"bob@example.org"}"""),
            InPlain("c2", """{"customerId":"c2","EMAIL":"bob@example.org","address":{"street":null,"city":"Springfield"}}"""),
            InPlain("c3", """{"contacts":[{"phone":null},{"phone":"555-0199"}]}""")], Cancellation);

        Assert.Equal([new PlainMember { Event = 1, Member = "EMAIL", ShownBy = 1 }, new PlainMember
        {
            Event = 2,
            Member = "contacts[1].phone",
            ShownBy = 1,
        }], found);
    }

    [Fact]
    public async Task Events_that_are_no_json_are_refused_before_an_append_as_by_the_append()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);

        foreach (var json in new[] { "ann@example.org", """{"name":"\ud800"}""", """{"\ud800":1}""" })
        {
            var refused = await Assert.ThrowsAsync<ArgumentException>(() => PersonalDataSearch.FindPlainAsync(store,
                [InPlain("c1", "{}"), InPlain("c2", json)], Cancellation));
            Assert.StartsWith("events[1] is not allowed. Its JSON", refused.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("ann@example.org")]
    [InlineData("""{"error":"ann@example.org""")]
    [InlineData("""{"error":"\ud800 ann@example.org" """)]
    [InlineData("""{"\ud800":"ann@example.org" """)]
    public async Task A_file_that_is_no_json_is_searched_as_text_and_named(string text)
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        var files = new List<string>();
        foreach (var name in new[] { "Reactions/r/parked/1.json", "Projections/p/skipped/1.json", "Projections/p/requests/1.json" })
        {
            var file = Path.Combine(Store, name);
            Directory.CreateDirectory(Path.GetDirectoryName(file)!);
            var bytes = new ArrayBufferWriter<byte>();
            bytes.Write(Encoding.UTF8.GetBytes(text));
            ChecksumTrailer.Append(bytes, 0);
            await File.WriteAllBytesAsync(file, bytes.WrittenMemory, Cancellation);
            files.Add(file);
        }

        var found = await store.FindInPlainAsync(ann, cancellationToken: Cancellation);
        var forgotten = await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.Equivalent(files, found.Hits.Select(static hit => hit.Path));
        Assert.Equivalent(files, forgotten.Remaining.Select(static each => each.Path));
    }

    [Fact]
    public async Task What_the_store_has_encoded_of_others_is_not_a_value_in_plain()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered("c2"))], cancellationToken: Cancellation);
        var others = (await store.ReadAllAsync())[0];
        var sealedName = JsonElement.Parse(others.StoredJson.Span).GetProperty("name").GetProperty("$sealed").GetString()!;
        var key = JsonElement.Parse(await File.ReadAllTextAsync(Path.Combine(Store, "Keys", "customer%3ac2.json"), Cancellation));
        await store.AppendAsync([new NewEvent(Customers.Registered() with
        {
            Name = sealedName.Split(' ')[^1],
            Email = key.GetProperty("key").GetString()!,
            Address = new Address($"{others.Id}", "Springfield"),
            Contacts = null,
        })], cancellationToken: Cancellation);

        var found = await store.FindInPlainAsync(ann, cancellationToken: Cancellation);

        Assert.Empty(found.Hits);
        Assert.Equal(0, found.Total);
    }

    [Theory]
    [InlineData("Ann Archer")]
    [InlineData("to Ann Archer, Springfield")]
    [InlineData("ann archer or Ann\\nAnn Archer")]
    [InlineData("""\u0022Ann Archer\u0022""")]
    [InlineData("""\u00dcAnn Archer""", false)]
    [InlineData("name=%22Ann Archer%22")]
    [InlineData("Joann Archer, Ann Archers, MAnn Archer, 7Ann Archer", false)]
    [InlineData("ÜAnn Archer, Ann Archerß", false)]
    public async Task Values_are_found_as_words_as_they_are_when_they_are_taken_out(string text, bool isFound = true)
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        await File.WriteAllTextAsync(Path.Combine(Store, "utf8.txt"), text, Cancellation);
        await File.WriteAllTextAsync(Path.Combine(Store, "utf16.txt"), text, new UnicodeEncoding(bigEndian: false, byteOrderMark: false), Cancellation);
        await File.WriteAllTextAsync(Path.Combine(Store, "utf16be.txt"), text, Encoding.BigEndianUnicode, Cancellation);
        // Odd, so that UTF-16 begins within what is read before it.
        await File.WriteAllBytesAsync(Path.Combine(Store, "odd.txt"), [0, .. Encoding.Unicode.GetBytes(text)], Cancellation);

        var found = await store.FindInPlainAsync(ann, cancellationToken: Cancellation);

        var files = found.Hits.Select(static hit => Path.GetFileName(hit.Path)).Distinct();
        Assert.Equal(isFound ? ["odd.txt", "utf16.txt", "utf16be.txt", "utf8.txt"] : [], files);
    }

    [Fact]
    public async Task Names_of_files_are_searched_for_values_as_they_are_encoded_and_not()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        string[] names = ["ann@example.org.csv", "email%3aann%40example%2eorg.json", "to ann@example.org", "x%41nn %41rcher", "Ann%20Archer.txt"];
        foreach (var name in names.Append("joann@example.org").Append("email%3ajoann%40example%2eorg.json"))
            await File.WriteAllTextAsync(Path.Combine(Store, name), "", Cancellation);

        var found = await store.FindInPlainAsync(ann, cancellationToken: Cancellation);

        Assert.Equal(names.Except(["x%41nn %41rcher"]).Order(StringComparer.Ordinal),
            found.Hits.Select(static hit => Path.GetFileName(hit.Path)).Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(15)]
    [InlineData(16)]
    [InlineData(30)]
    [InlineData(46)]
    public async Task A_value_across_two_blocks_is_found_once_and_only_as_a_word(int before)
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        var bytes = new byte[(4 * 1024 * 1024) + 7];
        string[] texts = ["ann@example.org", "Xann@example.org", "ann@example.orgX"];
        foreach (var (at, text) in texts.Index())
            Encoding.UTF8.GetBytes(text).CopyTo(bytes, ((at + 1) * 1024 * 1024) - before);
        await File.WriteAllBytesAsync(Path.Combine(Store, "long.bin"), bytes, Cancellation);

        var found = await store.FindInPlainAsync(ann, cancellationToken: Cancellation);

        Assert.Equal((1024 * 1024) - before, Assert.Single(found.Hits).Offset);
    }

    [Fact]
    public async Task A_search_for_values_whose_key_is_gone_says_so()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        await store.ForgetAsync(ann, "asked for it", Cancellation);

        var found = await store.FindInPlainAsync(ann, cancellationToken: Cancellation);

        Assert.Contains("could not be searched for", Assert.Single(found.NotSearched).Problem, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Values_that_differ_in_case_alone_are_all_searched_for()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered()), new NewEvent(Customers.Registered() with { Email = "ANN@example.org" })],
            cancellationToken: Cancellation);
        await File.WriteAllTextAsync(Path.Combine(Store, "lower.txt"), "to ann@example.org", Cancellation);
        await File.WriteAllTextAsync(Path.Combine(Store, "upper.txt"), "to ANN@example.org", Cancellation);

        var found = await store.FindInPlainAsync(ann, cancellationToken: Cancellation);

        Assert.Equal(["lower.txt", "upper.txt"], found.Hits.Select(static hit => Path.GetFileName(hit.Path)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Tag_of_a_rule_names_the_person_of_an_event_only_where_the_event_has_no_tag_of_the_key_itself(bool knowsTypes)
    {
        await using (var plain = await OpenAsync(knowsTypes: false))
        {
            await plain.AddTagRuleAsync(new TagRule("customer-registered", "invited.by", "customer"), cancellationToken: Cancellation);
            await plain.AppendAsync([
                InPlain("c2", """{"name":"Bob Brown","invited":{"by":"c1"} }"""),
                NewEvent.FromJson("customer-registered", """{"name":"Ann Archer","invited":{"by":"c1"} }""")], cancellationToken: Cancellation);
        }
        await using (var first = await OpenAsync())
            await first.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        Directory.Delete(Path.Combine(Store, "Schemas"), recursive: true);
        await using var store = await OpenAsync(knowsTypes);

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.Equal(2, Assert.Single(result.PlainEvents).Position);
    }

    [Fact]
    public async Task Without_the_classes_the_schemas_say_what_is_personal()
    {
        await using (var plain = await OpenAsync(knowsTypes: false))
        {
            await plain.AppendAsync([InPlain("c1", """{"name":"Ann Archer","contacts":[{"personId":"p9","phone":"555-0199"}]}""")],
                cancellationToken: Cancellation);
        }
        await using (var store = await OpenAsync())
        {
            await store.AppendAsync([new NewEvent(Customers.Registered("c2") with { Name = null, Contacts = null })],
                cancellationToken: Cancellation);
        }
        await using var without = await OpenAsync(knowsTypes: false);
        await File.WriteAllTextAsync(Path.Combine(Store, "note.txt"), "to Ann Archer", Cancellation);

        var found = await without.FindInPlainAsync(ann, cancellationToken: Cancellation);
        var result = await without.ForgetAsync(ann, "asked for it", Cancellation);
        var contact = await without.ForgetAsync(new Tag("person", "p9"), "asked for it", Cancellation);

        Assert.Contains(found.Hits, static hit => Path.GetFileName(hit.Path) == "note.txt");
        Assert.Equal(["name"], Assert.Single(result.PlainEvents).Members);
        Assert.Equal(["contacts[].phone"], Assert.Single(contact.PlainEvents).Members);
        await Assert.ThrowsAsync<StoreMaintenanceException>(() =>
            without.AddTagRuleAsync(new TagRule("customer-registered", "name", "name"), cancellationToken: Cancellation));
    }

    private static MemoryStream Zipped(byte[] bytes)
    {
        var zipped = new MemoryStream();
        using (var writer = new GZipStream(zipped, CompressionLevel.Fastest, leaveOpen: true))
            writer.Write(bytes);
        zipped.Position = 0;
        return zipped;
    }

    private static NewEvent InPlain(string id, string json) => NewEvent.FromJson("customer-registered", json, new Tag("customer", id));

    private Task<FileSystemEventStore> OpenAsync(MasterKey? key, bool knowsTypes = true, string? path = null)
    {
        var options = new OpossumOptions { Path = path ?? Store };
        if (knowsTypes)
            options.EventTypes.Add<CustomerRegistered>();
        options.PersonalData.MasterKey = key;
        return FileSystemEventStore.OpenAsync(options, Cancellation);
    }

    private Task<FileSystemEventStore> OpenAsync(bool knowsTypes = true, string? path = null) => OpenAsync(Customers.Key, knowsTypes, path);

    private sealed class Failing : Projection<string>
    {
        public Failing(string name)
            : base(name) => On("placed", static _ => "all", static (_, _) => throw new InvalidOperationException("mail to Ann@Example.org failed"));
    }
}
