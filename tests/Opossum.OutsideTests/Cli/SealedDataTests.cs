using Opossum.Cli;

namespace Opossum.CliTests;

/// <summary>An operator sees personal data only with the master key.</summary>
public sealed class SealedDataTests : PersonalTest
{
    [Theory]
    [InlineData("read", "")]
    [InlineData("read", "--json")]
    [InlineData("tail", "--limit=2")]
    [InlineData("show", "1")]
    [InlineData("export", "")]
    public async Task Commands_show_what_is_stored(string command, string option)
    {
        var result = (await Shell.RunAsync([.. new[] { command, Store, option }.Where(each => each.Length > 0)])).Succeeded();

        Assert.Contains("$sealed", result.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("ann@", result.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("read")]
    [InlineData("show", "1")]
    public async Task With_the_master_key_they_decrypt(params string[] command)
    {
        var result = (await Shell.RunAsync([command[0], Store, .. command[1..], "--master-key", KeyFile])).Succeeded();

        Assert.Contains(Secret, result.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("$sealed", result.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_condition_sees_personal_data_only_with_the_master_key()
    {
        var without = (await Shell.RunAsync("read", Store, "--where", $"email={Secret}", "--count")).Succeeded();
        var with = (await Shell.RunAsync("read", Store, "--where", $"email={Secret}", "--count", "--master-key", KeyFile)).Succeeded();

        Assert.Equal(("0\n", "1\n"), (without.Out, with.Out));
    }

    [Fact]
    public async Task A_difference_in_what_is_encrypted_is_found_without_the_key()
    {
        CopyFolder(Store, Shell.PathOf("same"));

        var same = await Shell.RunAsync("diff", Store, Shell.PathOf("same"));

        same.Succeeded();
    }

    [Fact]
    public async Task A_wrong_master_key_is_an_error()
    {
        (await Shell.RunAsync("master-key", "new", Shell.PathOf("wrong"))).Succeeded();

        var result = await Shell.RunAsync("read", Store, "--master-key", Shell.PathOf("wrong"));

        Assert.Equal(ExitCode.Failed, result.ExitCode);
        Assert.Contains("but the master key given is", result.Error, StringComparison.Ordinal);
        Assert.Equal("", result.Out);
    }
}
