using Opossum.Cli;

namespace Opossum.CliTests;

/// <summary>Commands do not store personal data in plain, and say what a forgetting leaves in plain; lost keys are replaced only when told.</summary>
public sealed class PlainDataTests : PersonalTest
{
    [Fact]
    public async Task Append_refuses_a_personal_member_in_plain_unless_told()
    {
        string[] append = ["append", Store, "--type", "customer-registered", "--tag", "customer:c3"];

        foreach (var dry in new string[][] { [], ["--dry-run"] })
        {
            var refused = await Shell.RunAsync("""{"Email":"eve@example.org","city":"Springfield"}""", [.. append, .. dry]);
            Assert.Equal(ExitCode.Negative, refused.ExitCode);
            Assert.Contains("The member Email of customer-registered is personal data: event 1 has it encrypted", refused.Error, StringComparison.Ordinal);
        }
        (await Shell.RunAsync("""{"email":null,"city":"Springfield"}""", append)).Succeeded();
        (await Shell.RunAsync("""{"email":"eve@example.org","city":"Springfield"}""", [.. append, "--allow-plain"])).Succeeded();
    }

    [Fact]
    public async Task Import_refuses_a_personal_member_in_plain_unless_told()
    {
        (await Shell.RunAsync("new", Shell.PathOf("plain"))).Succeeded();
        (await Shell.RunAsync("""{"email":"eve@example.org"}""", ["append", Shell.PathOf("plain"), "--type", "customer-registered"])).Succeeded();
        var lines = (await Shell.RunAsync("export", Shell.PathOf("plain"))).Succeeded().Out;

        var refused = await Shell.RunAsync(lines, ["import", Store, "-"]);
        var allowed = (await Shell.RunAsync(lines, ["import", Store, "-", "--allow-plain"])).Succeeded();

        Assert.Equal(ExitCode.Failed, refused.ExitCode);
        Assert.Contains("Line 1 has the member email in plain", refused.Error, StringComparison.Ordinal);
        Assert.Equal("Of 1 event, 1 was new and 0 were known. The store ends at position 3.\n", allowed.Out);
    }

    [Fact]
    public async Task Forget_says_what_remains_in_plain_and_how_to_remove_it()
    {
        (await Shell.RunAsync($$"""{"email":"{{Secret}}","city":"Springfield"}""", ["append", Store, "--type", "customer-registered", "--tag", "customer:c1", "--allow-plain"])).Succeeded();

        string[] forget = ["forget", Store, "customer:c1", "--reason", "asked", "--master-key", KeyFile];
        var dry = (await Shell.RunAsync([.. forget, "--dry-run"])).Succeeded();
        var done = (await Shell.RunAsync([.. forget, "--yes"])).Succeeded();

        Assert.All([dry.Out, done.Out], text => Assert.Contains("0000000003.json: data.email", text, StringComparison.Ordinal));
        Assert.Contains("event 3 customer-registered has email in plain: opossum repair redact STORE 3 --member email", done.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Forget_quotes_a_member_that_a_shell_would_read_itself()
    {
        var options = new OpossumOptions { Path = Store, PersonalData = { MasterKeyFile = KeyFile } };
        options.EventTypes.AddPersonal("customer-called", "contacts[].phone", "customer");
        await using (var store = await FileSystemEventStore.OpenAsync(options))
            await store.AppendAsync(NewEvent.FromJson("customer-called", """{"contacts":[{"phone":"555"}]}""", new Tag("customer", "c1")));
        (await Shell.RunAsync("""{"contacts":[{"phone":"556"}]}""",
            ["append", Store, "--type", "customer-called", "--tag", "customer:c1", "--allow-plain"])).Succeeded();

        var done = (await Shell.RunAsync("forget", Store, "customer:c1", "--reason", "asked", "--master-key", KeyFile, "--yes")).Succeeded();

        Assert.Contains("opossum repair redact STORE 4 --member 'contacts[].phone'", done.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Forget_says_how_many_places_it_does_not_list()
    {
        const int Places = 1_200;
        var notes = string.Join(',', Enumerable.Repeat($"\"{Secret}\"", Places));
        (await Shell.RunAsync($$"""{"notes":[{{notes}}]}""", ["append", Store, "--type", "note-taken"])).Succeeded();

        string[] forget = ["forget", Store, "customer:c1", "--reason", "asked", "--master-key", KeyFile];
        var dry = (await Shell.RunAsync([.. forget, "--dry-run"])).Succeeded();

        Assert.Matches(@"\n  [1-9][0-9,]* further places are not listed\n", dry.Out);
    }

    [Fact]
    public async Task A_dry_run_refuses_to_forget_a_person_in_a_replica()
    {
        var replica = Shell.PathOf("nas");
        (await Shell.RunAsync("follow", Store, replica, "--once")).Succeeded();
        string[] forget = ["forget", replica, "customer:c1", "--reason", "asked", "--keys", Path.Combine(Store, "Keys"), "--master-key", KeyFile];

        var planned = await Shell.RunAsync([.. forget, "--dry-run"]);
        var refused = await Shell.RunAsync([.. forget, "--yes"]);

        Assert.Equal((ExitCode.NoStore, ""), (planned.ExitCode, planned.Out));
        Assert.Equal(ExitCode.NoStore, refused.ExitCode);
    }

    [Theory]
    [InlineData("opossum keys replace", true, false)]
    [InlineData("0123456789abcdef", false, false)]
    [InlineData(null, true, true)]
    public async Task A_dry_run_refuses_to_give_up_what_the_replacement_refuses(string? lost, bool isNoted, bool hasKeysOfPersons)
    {
        if (hasKeysOfPersons)
            File.Delete(Path.Combine(Store, "Keys", "store-key.json"));
        else
            Directory.Delete(Path.Combine(Store, "Keys"), recursive: true);
        lost ??= System.Text.RegularExpressions.Regex.Match((await Shell.RunAsync("check", Store)).Out, "LostStoreKey = \"([0-9a-f]{16})\"").Groups[1].Value;
        if (!isNoted)
            File.Delete(Path.Combine(Store, "personal.json"));
        string[] replace = ["keys", "replace", Store, "--lost", lost, "--master-key", KeyFile];

        var planned = await Shell.RunAsync([.. replace, "--dry-run"]);
        var refused = await Shell.RunAsync([.. replace, "--yes"]);

        Assert.Equal((ExitCode.Failed, ""), (planned.ExitCode, planned.Out));
        Assert.Equal(ExitCode.Failed, refused.ExitCode);
    }

    [Fact]
    public async Task Lost_keys_are_named_by_check_and_replaced_only_when_told()
    {
        var intact = await Shell.RunAsync("keys", "replace", Store, "--lost", "0123456789abcdef", "--master-key", KeyFile, "--yes");
        Directory.Delete(Path.Combine(Store, "Keys"), recursive: true);
        var check = await Shell.RunAsync("check", Store);
        var lost = System.Text.RegularExpressions.Regex.Match(check.Out, "LostStoreKey = \"([0-9a-f]{16})\"").Groups[1].Value;

        var wrong = await Shell.RunAsync("keys", "replace", Store, "--lost", "0123456789abcdef", "--master-key", KeyFile, "--yes");
        var dryWrong = await Shell.RunAsync("keys", "replace", Store, "--lost", "0123456789abcdef", "--master-key", KeyFile, "--dry-run");
        var dry = (await Shell.RunAsync("keys", "replace", Store, "--lost", lost, "--master-key", KeyFile, "--dry-run")).Succeeded();
        var unasked = await Shell.RunAsync("keys", "replace", Store, "--lost", lost, "--master-key", KeyFile);
        Assert.False(File.Exists(Path.Combine(Store, "Keys", "store-key.json")));
        var done = (await Shell.RunAsync("keys", "replace", Store, "--lost", lost, "--master-key", KeyFile, "--yes", "--json")).Succeeded();

        Assert.Equal((ExitCode.Failed, ExitCode.Negative, ExitCode.Failed, ExitCode.Usage),
            (intact.ExitCode, check.ExitCode, wrong.ExitCode, unasked.ExitCode));
        Assert.Contains(lost, wrong.Error, StringComparison.Ordinal);
        Assert.Equal((ExitCode.Failed, ""), (dryWrong.ExitCode, dryWrong.Out));
        Assert.Contains($"\"{lost}\"", dryWrong.Error, StringComparison.Ordinal);
        Assert.StartsWith("Would make a new store key", dry.Out, StringComparison.Ordinal);
        Assert.NotEqual(lost, done.Json.GetProperty("storeKey").GetString());
        await using var store = await OpenAsync(Store);
        await store.AppendAsync(Registered("c3", "eve@example.org"));
    }

    [Theory]
    [InlineData("--yes")]
    [InlineData("--dry-run")]
    public async Task A_store_without_lost_keys_gets_none(string how)
    {
        var other = Shell.PathOf("other");
        (await Shell.RunAsync("new", other)).Succeeded();

        var result = await Shell.RunAsync("keys", "replace", other, "--lost", "0123456789abcdef", "--master-key", KeyFile, how);

        Assert.Equal((ExitCode.Failed, ""), (result.ExitCode, result.Out));
        Assert.EndsWith(" Nothing was changed.\n", result.Error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Path.Combine(other, "Keys")));
    }
}
