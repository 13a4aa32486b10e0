using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class MasterKeyTests : PersonalTest
{
    [Fact]
    public async Task A_new_key_is_for_this_user_only_and_overwrites_nothing()
    {
        var text = await File.ReadAllTextAsync(KeyFile);

        var again = await Shell.RunAsync("master-key", "new", KeyFile);
        var inside = await Shell.RunAsync("master-key", "new", Path.Combine(Store, "Keys", "master"));

        Assert.Equal((ExitCode.Usage, ExitCode.Usage), (again.ExitCode, inside.ExitCode));
        Assert.Contains("never overwritten", again.Error, StringComparison.Ordinal);
        Assert.Equal(text, await File.ReadAllTextAsync(KeyFile));
        Assert.Equal(text, MasterKey.FromText(text).ToText());
        if (!OperatingSystem.IsWindows())
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(KeyFile));
    }

    [Fact]
    public async Task The_master_key_is_replaced_and_no_event_changes()
    {
        (await Shell.RunAsync("master-key", "new", Shell.PathOf("next"))).Succeeded();
        string[] replace = ["master-key", "replace", Store, "--current", KeyFile, "--next", Shell.PathOf("next")];
        var before = FilesOfStore();

        var dry = (await Shell.RunAsync([.. replace, "--dry-run"])).Succeeded();
        var unasked = await Shell.RunAsync(replace);
        Assert.Equal(before, FilesOfStore());
        var done = (await Shell.RunAsync([.. replace, "--yes", "--json"])).Succeeded();
        var again = (await Shell.RunAsync([.. replace, "--yes"])).Succeeded();
        var dryAgain = (await Shell.RunAsync([.. replace, "--dry-run"])).Succeeded();

        Assert.StartsWith("Would make ", dry.Out, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Usage, unasked.ExitCode);
        Assert.True(done.Json.GetProperty("isChanged").GetBoolean());
        Assert.EndsWith("is the master key already. Nothing was changed.\n", again.Out, StringComparison.Ordinal);
        Assert.Equal(again.Out, dryAgain.Out);
        Assert.Equal(["store-key.json"], FilesOfStore().Where(each => before[each.Key] != each.Value).Select(each => Path.GetFileName(each.Key)));
        var shown = (await Shell.RunAsync("show", Store, "1", "--master-key", Shell.PathOf("next"))).Succeeded();
        Assert.Contains(Secret, shown.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("read")]
    [InlineData("show", "1")]
    public async Task A_mistyped_file_is_answered_in_words_of_the_command_line(string command, params string[] arguments)
    {
        var result = await Shell.RunAsync([command, Store, .. arguments, "--master-key", Shell.PathOf("mistyped")]);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Contains("mistyped does not exist. Pass the file of the master key", result.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("WriteAllText", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--dry-run")]
    [InlineData("--yes")]
    public async Task Keys_that_are_elsewhere_and_keys_of_another_store_are_not_taken_for_the_stores(string how)
    {
        (await Shell.RunAsync("master-key", "new", Shell.PathOf("next"))).Succeeded();
        await using (var other = await OpenAsync(Shell.PathOf("other"), Shell.PathOf("keys")))
            await other.AppendAsync(Registered("c1", Secret));
        var before = FilesOfStore();
        string[] replace = ["--current", KeyFile, "--next", Shell.PathOf("next"), how];

        var unnamed = await Shell.RunAsync(["master-key", "replace", Shell.PathOf("other"), .. replace]);
        var others = await Shell.RunAsync(["master-key", "replace", Shell.PathOf("other"), "--keys", Path.Combine(Store, "Keys"), .. replace]);
        var named = await Shell.RunAsync(["master-key", "replace", Shell.PathOf("other"), "--keys", Shell.PathOf("keys"), .. replace]);

        Assert.Equal((ExitCode.Failed, ExitCode.Failed, ExitCode.Ok), (unnamed.ExitCode, others.ExitCode, named.ExitCode));
        Assert.Contains("--keys", unnamed.Error, StringComparison.Ordinal);
        Assert.Contains("keys of another store", others.Error, StringComparison.Ordinal);
        Assert.Equal(before, FilesOfStore());
    }

    [Theory]
    [InlineData("--dry-run")]
    [InlineData("--yes")]
    public async Task Another_current_key_or_no_key_at_all_changes_nothing(string how)
    {
        (await Shell.RunAsync("master-key", "new", Shell.PathOf("next"))).Succeeded();
        (await Shell.RunAsync("master-key", "new", Shell.PathOf("third"))).Succeeded();
        await File.WriteAllTextAsync(Shell.PathOf("text"), "hello");
        var before = FilesOfStore();
        string[] replace = ["master-key", "replace", Store, how, "--next", Shell.PathOf("next"), "--current"];

        var other = await Shell.RunAsync([.. replace, Shell.PathOf("third")]);
        var text = await Shell.RunAsync([.. replace, Shell.PathOf("text")]);
        var missing = await Shell.RunAsync([.. replace, Shell.PathOf("none")]);

        Assert.Equal((ExitCode.Failed, ExitCode.Failed, ExitCode.Usage), (other.ExitCode, text.ExitCode, missing.ExitCode));
        Assert.DoesNotContain("hello", text.Error, StringComparison.Ordinal);
        Assert.Equal(before, FilesOfStore());
    }
}
