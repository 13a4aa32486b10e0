using Opossum.Cli;

namespace Opossum.CliTests;

/// <summary>Rules that make a member of events a tag, by commands.</summary>
public sealed class TagsTests : StoreTest
{
    [Fact]
    public async Task Rule_is_added_listed_used_and_removed()
    {
        var added = (await Shell.RunAsync("tags", "add", Store, "order-placed", "by.name", "name", "--json")).Succeeded().Json;
        var again = (await Shell.RunAsync("tags", "add", Store, "order-placed", "by.name", "name")).Succeeded();
        var mistyped = await Shell.RunAsync("tags", "add", Store, "order-place", "by.nane", "nane");
        Assert.Contains("No event has the event type order-place. Did you mean order-placed?", mistyped.Error, StringComparison.Ordinal);
        Assert.Contains("No event has the tag key nane.", mistyped.Error, StringComparison.Ordinal);
        Assert.Equal("", again.Error);
        (await Shell.RunAsync("tags", "remove", Store, "order-place", "by.nane", "nane", "--yes")).Succeeded();
        var listed = (await Shell.RunAsync("tags", "list", Store, "--json")).Succeeded().Json;
        var read = (await Shell.RunAsync("read", Store, "--tag", "name:Ada", "--json")).Succeeded();
        var unconfirmed = await Shell.RunAsync("tags", "remove", Store, "order-placed", "by.name", "name");
        var shown = (await Shell.RunAsync("tags", "remove", Store, "order-placed", "by.name", "name", "--dry-run")).Succeeded();
        string[] remove = ["tags", "remove", Store, "order-placed", "by.name", "name", "--json"];
        var planned = (await Shell.RunAsync([.. remove, "--dry-run"])).Succeeded().Json;
        var removed = (await Shell.RunAsync([.. remove, "--yes"])).Succeeded().Json;
        var none = (await Shell.RunAsync("tags", "list", Store)).Succeeded();

        Assert.True(added.GetProperty("changed").GetBoolean());
        Assert.Equal("The store has this rule already.\n", again.Out);
        Assert.Equal("by.name", listed.GetProperty("rules")[0].GetProperty("member").GetString());
        Assert.Contains("name:Ada", read.Out, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Usage, unconfirmed.ExitCode);
        Assert.Equal("Would remove the rule and its tags.\n", shown.Out);
        Assert.True(planned.GetProperty("isDryRun").GetBoolean());
        Assert.False(removed.TryGetProperty("isDryRun", out _));
        Assert.Equal("No tag rules: events have the tags with which they were appended.\n", none.Out);
    }

    [Theory]
    [InlineData("$key", "begins with '$'")]
    [InlineData("", "empty")]
    public async Task Rule_that_is_not_allowed_is_a_usage_error(string key, string why)
    {
        var refused = await Shell.RunAsync("tags", "add", Store, "order-placed", "by.name", key);

        Assert.Equal(ExitCode.Usage, refused.ExitCode);
        Assert.Contains(why, refused.Error, StringComparison.Ordinal);
    }
}
