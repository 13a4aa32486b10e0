using System.Text.Json;
using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class ForgetTests : PersonalTest
{
    [Fact]
    public async Task A_person_is_forgotten_without_the_master_key_and_no_event_file_changes()
    {
        var before = FilesOfStore();

        var result = (await Shell.RunAsync("forget", Store, "customer:c1", "--reason", "asked for it", "--yes")).Succeeded();
        var again = (await Shell.RunAsync("forget", Store, "customer:c1", "--reason", "again")).Succeeded();

        Assert.Equal("customer:c1 is forgotten: the key is removed, and event 3 says so. No event file was changed.", result.Lines[0]);
        Assert.StartsWith("Without --master-key the person's values are not known", result.Lines[1], StringComparison.Ordinal);
        Assert.StartsWith("customer:c1 was already forgotten on ", again.Out, StringComparison.Ordinal);
        var after = FilesOfStore();
        Assert.All(before.Where(each => each.Key.Contains("Events", StringComparison.Ordinal)), each => Assert.Equal(each.Value, after[each.Key]));
        var shown = (await Shell.RunAsync("read", Store, "--after", "0", "--up-to", "2", "--json", "--master-key", KeyFile)).Succeeded();
        Assert.Contains("""{"email":null,"city":"Springfield"}""", shown.Lines[0], StringComparison.Ordinal);
        Assert.Contains("bob@example.org", shown.Lines[1], StringComparison.Ordinal);
        (await Shell.RunAsync("check", Store)).Succeeded();
    }

    [Fact]
    public async Task A_dry_run_says_what_would_be_done_and_changes_nothing()
    {
        var before = FilesOfStore();

        var known = (await Shell.RunAsync("forget", Store, "customer:c1", "--reason", "asked", "--dry-run")).Succeeded();
        var unknown = (await Shell.RunAsync("forget", Store, "customer:c9", "--reason", "asked", "--dry-run", "--json")).Succeeded();

        Assert.Equal("Would remove the key of customer:c1 for good, and append the event that says so.", known.Lines[0]);
        Assert.Equal(("None", true), (unknown.Json.GetProperty("before").GetString(), unknown.Json.GetProperty("isDryRun").GetBoolean()));
        Assert.Equal(before, FilesOfStore());
    }

    [Fact]
    public async Task The_states_of_a_projection_are_shown_as_they_are_stored()
    {
        await using (var store = await OpenAsync(Store))
        await using (store.StartProjections([new Cards()]))
            await store.Projections["cards"].WaitForAsync(2);

        var states = (await Shell.RunAsync("projections", "states", Store, "cards", "--json")).Succeeded();
        var one = (await Shell.RunAsync("projections", "states", Store, "cards", "--key", "c1")).Succeeded();

        Assert.All(states.Lines, line => Assert.Contains("""
            "state":{"email":{"$sealed":"customer:c
            """, line, StringComparison.Ordinal));
        Assert.Equal(["c1", "c2"], states.Lines.Select(static line => JsonElement.Parse(line).GetProperty("key").GetString()).Order());
        Assert.StartsWith("""
            c1  {"email":{"$sealed":"customer:c1
            """, one.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("customer", "asked")]
    [InlineData("customer:c1", " ")]
    public async Task What_a_forgetting_refuses_is_refused_before_the_question_and_in_a_dry_run(string person, string reason)
    {
        string[] forget = ["forget", Store, person, "--reason", reason];

        var planned = await Shell.RunAsync([.. forget, "--dry-run"]);
        var asked = await Shell.RunAsync(forget);
        var refused = await Shell.RunAsync([.. forget, "--yes"]);

        Assert.Equal((ExitCode.Usage, ""), (planned.ExitCode, planned.Out));
        Assert.Equal((planned, planned), (asked, refused));
    }

    [Fact]
    public async Task Nobody_is_forgotten_without_a_yes()
    {
        var before = FilesOfStore();

        var result = await Shell.RunAsync("forget", Store, "customer:c1", "--reason", "asked");

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Contains("Remove the key of customer:c1 for good?", result.Error, StringComparison.Ordinal);
        Assert.Equal(before, FilesOfStore());
    }

    [Fact]
    public async Task A_person_without_a_key_is_named_and_gets_none()
    {
        var before = FilesOfStore();
        var unasked = await Shell.RunAsync("forget", Store, "customer:c9", "--reason", "asked");
        Assert.Equal(before, FilesOfStore());
        var result = (await Shell.RunAsync("forget", Store, "customer:c9", "--reason", "asked", "--yes")).Succeeded();

        Assert.Equal(ExitCode.Usage, unasked.ExitCode);
        Assert.StartsWith("opossum: customer:c9 has no key: nothing is encrypted for this person. Keep one from being made, for good?", unasked.Error,
            StringComparison.Ordinal);

        Assert.StartsWith("customer:c9 had no key: nothing was encrypted for this person.", result.Out, StringComparison.Ordinal);
        await using var store = await OpenAsync(Store);
        await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync(Registered("c9", Secret)));
    }

    [Fact]
    public async Task What_was_interrupted_is_finished()
    {
        CopyFolder(Store, Shell.PathOf("copy"));
        (await Shell.RunAsync("forget", Shell.PathOf("copy"), "customer:c1", "--reason", "asked", "--yes")).Succeeded();
        File.Move(Path.Combine(Shell.PathOf("copy"), "Keys", "customer%3ac1.json"), AnnsFile(".forgetting"));

        var result = (await Shell.RunAsync("forget", Store, "customer:c1", "--reason", "asked again")).Succeeded();

        Assert.StartsWith("Finished forgetting customer:c1, which was interrupted", result.Out, StringComparison.Ordinal);
        Assert.False(File.Exists(AnnsFile(".forgetting")));
        Assert.DoesNotContain("\"key\"", await File.ReadAllTextAsync(AnnsFile()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_was_interrupted_after_the_key_was_removed_is_finished_and_the_command_says_that_the_values_were_not_searched()
    {
        CopyFolder(Store, Shell.PathOf("copy"));
        (await Shell.RunAsync("forget", Shell.PathOf("copy"), "customer:c1", "--reason", "asked", "--yes")).Succeeded();
        File.Copy(Path.Combine(Shell.PathOf("copy"), "Keys", "customer%3ac1.json"), AnnsFile(), overwrite: true);
        File.Copy(AnnsFile(), AnnsFile(".forgetting"));

        string[] forget = ["forget", Store, "customer:c1", "--reason", "asked again", "--master-key", KeyFile];
        var planned = (await Shell.RunAsync([.. forget, "--dry-run"])).Succeeded();
        var result = (await Shell.RunAsync(forget)).Succeeded();

        Assert.Contains("could not be searched", planned.Out, StringComparison.Ordinal);
        Assert.StartsWith("Finished forgetting customer:c1, which was interrupted", result.Out, StringComparison.Ordinal);
        Assert.StartsWith("The key of some of the person's values was gone already", result.Lines[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_keys_in_the_folder_nothing_is_done_because_they_may_be_elsewhere()
    {
        await using (var other = await OpenAsync(Shell.PathOf("other"), Shell.PathOf("keys")))
            await other.AppendAsync(Registered("c1", Secret));

        var without = await Shell.RunAsync("forget", Shell.PathOf("other"), "customer:c1", "--reason", "asked", "--yes");
        var missing = await Shell.RunAsync("forget", Shell.PathOf("other"), "customer:c1", "--reason", "asked", "--keys", Shell.PathOf("none"));
        var with = (await Shell.RunAsync("forget", Shell.PathOf("other"), "customer:c1", "--reason", "asked", "--yes", "--keys",
            Shell.PathOf("keys"))).Succeeded();

        Assert.Equal((ExitCode.Failed, ExitCode.Usage), (without.ExitCode, missing.ExitCode));
        Assert.Contains("pass --keys FOLDER", without.Error, StringComparison.Ordinal);
        Assert.Contains("event 2 says so", with.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_pseudonym_needs_the_master_key()
    {
        await using (var store = await OpenAsync(Store))
        {
            await store.AppendAsync(NewEvent.FromJson("customer-registered", """{"email":"cid@example.org"}""", Tag.Pseudonym("customer", "cid")));
        }

        var without = await Shell.RunAsync("forget", Store, "customer:cid", "--reason", "asked", "--pseudonym", "--yes");
        var with = (await Shell.RunAsync("forget", Store, "customer:cid", "--reason", "asked", "--pseudonym", "--master-key", KeyFile, "--yes"))
            .Succeeded();

        Assert.Equal(ExitCode.Usage, without.ExitCode);
        Assert.StartsWith("customer:~", with.Out, StringComparison.Ordinal);
        Assert.Contains(" is forgotten: the key is removed", with.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--pseudonym")]
    [InlineData("--json")]
    public async Task Both_keys_of_a_person_are_removed_whichever_is_named(string option)
    {
        var types = new EventTypeRegistry().AddPersonal("customer-registered", "email", "customer").AddPersonal("call", "phone", "customer", "who");
        var options = new OpossumOptions { Path = Store, EventTypes = types, PersonalData = { MasterKeyFile = KeyFile } };
        await using (var store = await FileSystemEventStore.OpenAsync(options))
        {
            await store.AppendAsync(NewEvent.FromJson("customer-registered", """{"email":"cid@example.org"}""", Tag.Pseudonym("customer", "cid")));
            await store.AppendAsync(NewEvent.FromJson("call", """{"who":"cid","phone":"555-0101"}"""));
        }

        (await Shell.RunAsync("forget", Store, "customer:cid", "--reason", "asked", option, "--master-key", KeyFile, "--yes")).Succeeded();

        Assert.DoesNotContain("\"key\"", await File.ReadAllTextAsync(Path.Combine(Store, "Keys", "customer%3acid.json")), StringComparison.Ordinal);
        (await Shell.RunAsync("check", Store)).Succeeded();
    }

    [Fact]
    public async Task No_store_is_made()
    {
        var result = await Shell.RunAsync("forget", Shell.PathOf("none"), "customer:c1", "--reason", "asked", "--yes");

        Assert.Equal(ExitCode.NoStore, result.ExitCode);
        Assert.False(Directory.Exists(Shell.PathOf("none")));
    }

    private sealed record Card([property: Personal("customer")] string? Email);

    private sealed class Cards : Projection<Card>
    {
        public Cards()
            : base("cards") => On("customer-registered", static e => e.Tags[0].Value,
                static (_, e) => new Card(JsonElement.Parse(e.Json.Span).GetProperty("email").GetString()));
    }
}
