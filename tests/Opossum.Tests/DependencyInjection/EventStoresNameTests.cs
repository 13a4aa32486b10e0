namespace Opossum.Tests.DependencyInjection;

public sealed class EventStoresNameTests
{
    [Theory(Timeout = 60_000)]
    [InlineData("")]
    [InlineData(".")]
    [InlineData("..")]
    [InlineData("../other")]
    [InlineData("..\\other")]
    [InlineData("a/b")]
    [InlineData("/tmp")]
    [InlineData("C:")]
    [InlineData("C:\\tmp")]
    [InlineData("a:stream")]
    [InlineData("acme.")]
    [InlineData("acme ")]
    [InlineData(" acme")]
    [InlineData("-acme")]
    [InlineData("Acme")]
    [InlineData("acmé")]
    [InlineData("acme\u0301")]
    [InlineData("ａcme")]
    [InlineData("acme\0")]
    [InlineData("acme\n")]
    [InlineData("con")]
    [InlineData("nul")]
    [InlineData("com1")]
    [InlineData("lpt9")]
    [InlineData("com¹")]
    [InlineData("con.txt")]
    [InlineData("~")]
    [InlineData("%2e%2e")]
    [InlineData("a*")]
    public async Task Other_names_are_refused_before_anything_is_touched(string name)
    {
        using var place = await StoresPlace.StartAsync();

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => place.OpenAsync(name));
        Assert.StartsWith("The store's name", refused.Message, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(place.Root));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_name_has_at_most_63_characters()
    {
        using var place = await StoresPlace.StartAsync();
        await place.UseAsync(new string('a', 63));

        await Assert.ThrowsAsync<ArgumentException>(() => place.OpenAsync(new string('a', 64)));
    }

    [Theory(Timeout = 60_000)]
    [InlineData("a")]
    [InlineData("0")]
    [InlineData("acme-north-7")]
    [InlineData("01a1fe27-d335-79b1-9dff-bdbba9526ebd")]
    [InlineData("console")]
    public async Task Plain_names_are_folders(string name)
    {
        using var place = await StoresPlace.StartAsync();
        await place.UseAsync(name);

        Assert.Equal([name], await place.Stores.ListAsync(TestContext.Current.CancellationToken));
    }
}
