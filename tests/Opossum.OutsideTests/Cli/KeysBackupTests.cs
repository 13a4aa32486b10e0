namespace Opossum.CliTests;

public sealed class KeysBackupTests : PersonalTest
{
    [Fact]
    public async Task A_backup_says_that_keys_are_left_out_and_copies_them_when_told()
    {
        var without = (await Shell.RunAsync("backup", Store, Shell.PathOf("safe"))).Succeeded();
        var with = (await Shell.RunAsync("backup", Store, Shell.PathOf("safe"), "--include-keys")).Succeeded();
        (await Shell.RunAsync("restore", Shell.PathOf("safe"), Shell.PathOf("again"))).Succeeded();

        Assert.Contains("The keys of personal data were left out", without.Out, StringComparison.Ordinal);
        Assert.EndsWith(" 3 key files were written.\n", with.Out, StringComparison.Ordinal);
        var shown = (await Shell.RunAsync("show", Shell.PathOf("again"), "1", "--master-key", KeyFile)).Succeeded();
        Assert.Contains(Secret, shown.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Keys_elsewhere_are_not_copied_and_that_is_said()
    {
        await using (var other = await OpenAsync(Shell.PathOf("other"), Shell.PathOf("keys")))
            await other.AppendAsync(Registered("c1", Secret));

        var result = (await Shell.RunAsync("backup", Shell.PathOf("other"), Shell.PathOf("safe"), "--include-keys", "--json")).Succeeded();

        Assert.False(result.Json.GetProperty("hasKeys").GetBoolean());
        Assert.Equal(0, result.Json.GetProperty("keysCopied").GetInt64());
    }
}
