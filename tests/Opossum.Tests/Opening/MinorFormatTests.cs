using System.Text;
using Opossum.Testing.Simulated;
using Opossum.Tests.Hostile;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>
/// A store of a higher minor format, as a later version may write it: event files may hold one member after the metadata that is not known
/// here.
/// </summary>
public sealed class MinorFormatTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_unknown_member_is_passed_over_and_stays(bool hasIndex)
    {
        await CreateAsync(minor: 1, ",\n  \"proof\": { \"tree\": [1, \"ü\"] }");
        var file = place.Bytes(place.Layout.EventFile(2));
        if (hasIndex)
        {
            place.Open();
            place.CloseStores();
        }

        foreach (var readOnly in (bool[])[true, false])
        {
            Assert.Equal(["a", "b", "c"], (await place.Open(options => options.ReadOnly = readOnly).ReadAllAsync()).Select(each => each.Type));
            place.CloseStores();
        }
        Assert.Equal(4, (await place.Open().AppendAsync([New("d")])).LastPosition);
        place.CloseStores();
        place.AssertClean();
        Assert.Equal(file, place.Bytes(place.Layout.EventFile(2)));
    }

    [Theory]
    [InlineData(0, ",\n  \"proof\": 1")]
    [InlineData(1, ",\n  \"proof\": 1,\n  \"more\": 2")]
    [InlineData(1, ",\n  \"checksum\": \"x\"")]
    [InlineData(1, "")]
    public async Task Where_it_is_not_allowed_it_is_an_error(int minor, string members)
    {
        await CreateAsync(minor, members, before: members.Length == 0 ? "  \"proof\": 1,\n" : "");

        var error = Assert.Throws<StoreDamagedException>(() => place.Open());
        Assert.Equal(place.Layout.EventFile(2), error.Path);
        Assert.Contains("is not where it belongs", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_put_back_from_a_backup_or_its_line_keeps_it()
    {
        await CreateAsync(minor: 1, ",\n  \"proof\": {}");
        place.Open();
        place.CloseStores();
        var file = place.Bytes(place.Layout.EventFile(2));
        place.Put("/backup/0000000002.json", Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(file).Replace("\n", "\r\n", StringComparison.Ordinal)));
        place.Delete(place.Layout.EventFile(2));

        Assert.Equal([2], place.Repair(Remedies.RestoreFrom("/backup")).Restored);
        Assert.Equal(file, place.Bytes(place.Layout.EventFile(2)));
        place.Delete(place.Layout.EventFile(2));
        Assert.Equal([2], place.Repair(Remedies.RestoreFromIndex).Restored);
        Assert.Equal(file, place.Bytes(place.Layout.EventFile(2)));
        place.AssertClean();
    }

    [Fact]
    public async Task A_minor_format_that_is_none_is_named()
    {
        await CreateAsync(minor: -1, "");
        Assert.Equal(place.Layout.StoreFile, Assert.Throws<StoreOpenException>(() => place.Open()).Path);
    }

    // Three events, of which the second has further members; without an index.
    private async Task CreateAsync(int minor, string members, string before = "")
    {
        var store = place.Open();
        foreach (var type in (string[])["a", "b", "c"])
            await store.AppendAsync([New(type)]);
        place.CloseStores();
        place.Delete(place.Layout.IndexFile);
        place.Delete(place.Layout.Segment(0));
        place.Put(place.Layout.StoreFile,
            Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(place.Bytes(place.Layout.StoreFile)).Replace("\"format\": 1,",
                $"\"format\": 1,\n  \"minor\": {minor},", StringComparison.Ordinal)));
        var text = Encoding.UTF8.GetString(place.Bytes(place.Layout.EventFile(2)));
        text = text[..text.LastIndexOf(',')].Replace("  \"data\"", $"{before}  \"data\"", StringComparison.Ordinal) + members;
        place.Put(place.Layout.EventFile(2), Forgery.Of(Encoding.UTF8.GetBytes(text)));
    }
}
