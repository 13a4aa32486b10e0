using System.Security.Cryptography;
using System.Text;
using Opossum.Maintenance;
using Opossum.Storage.Log;
using Opossum.Testing.Simulated;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Damage;

/// <summary>
/// What somebody saved with an editor is never taken for what a crash left, wherever it stands; see <see cref="TouchedFileTests"/> for
/// white space alone.
/// </summary>
public sealed class EditedFileTests
{
    public enum Edit
    {
        Utf16,
        Utf16BigEndian,
        OtherValue,
        OtherEscape,
        OtherNumber,
        OtherOrder,
        OtherValueReformatted,
        OtherChecksum,
        ChecksumInCapitals,
        NoChecksum,
        SyntaxError,
        MissingMember,
        TextAfterTheEnd,
        AnotherObject,
    }

    public static MatrixTheoryData<Edit, bool> Edits => new(Enum.GetValues<Edit>(), [false, true]);

    [Theory]
    [MemberData(nameof(Edits))]
    public async Task Without_an_index_the_file_is_named_and_stays(Edit edit, bool isInAppendOfFive)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var position = await FillAsync(place, isInAppendOfFive);
        Save(place, position, edit);
        place.Delete(place.Layout.IndexFile);
        place.Delete(place.Layout.Segment(0));

        AssertRefused(place, position);
    }

    [Theory]
    [MemberData(nameof(Edits))]
    public async Task An_index_that_ends_before_it_is_no_reason_to_set_it_aside(Edit edit, bool isInAppendOfFive)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync([New("a"), New("b")]);
        var index = place.Snapshot(place.Layout.Index);
        place.CloseStores();
        var position = await FillAsync(place, isInAppendOfFive);
        place.Restore(index, place.Layout.Index);
        Save(place, position, edit);

        AssertRefused(place, position);
    }

    [Theory]
    [MemberData(nameof(Edits))]
    public async Task With_an_index_the_store_gives_what_it_was_and_no_position_again(Edit edit, bool isInAppendOfFive)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var position = await FillAsync(place, isInAppendOfFive);
        var events = (await place.Open().ReadAllAsync()).Select(Describe).ToList();
        place.CloseStores();
        Save(place, position, edit);
        var edited = place.Bytes(place.Layout.EventFile(position));

        foreach (var readOnly in (bool[])[true, false])
        {
            var error = Record.Exception(() => place.Open(options => options.ReadOnly = readOnly));
            // The last file's own checksum is what the index is held against at first sight.
            Assert.True(error is null or StoreDamagedException, error?.ToString());
            if (error is null)
                Assert.Equal(events, (await place.Open(options => options.ReadOnly = readOnly).ReadAllAsync()).Select(Describe));
            place.CloseStores();
        }
        Assert.Equal(events.Count + 1, (await place.Open().AppendAsync([New("next")])).LastPosition);
        place.CloseStores();
        Assert.Equal(edited, place.Bytes(place.Layout.EventFile(position)));
        Assert.False(place.Exists(place.Layout.Quarantine));
        Assert.Equal((FindingKind.BadEventFile, position), place.Check().Findings.Select(each => (each.Kind, each.Position!.Value)).First());
    }

    [Fact]
    public async Task An_index_that_does_not_fit_stays_too_when_it_is_refused()
    {
        using var place = StorePlace.On(VolumeKind.Nfs);
        var position = await FillAsync(place, isInAppendOfFive: true);
        // Another first event: the index is of other event files.
        var first = place.Event(1);
        place.Put(place.Layout.EventFile(1), EventFile.TextOf(first with { TimestampTicks = first.TimestampTicks + 1 }));
        Save(place, position, Edit.OtherValue);
        var before = place.Snapshot(place.Layout.Index);

        Assert.Throws<StoreDamagedException>(() => place.Open());
        Assert.Equal(before, place.Snapshot(place.Layout.Index));
    }

    [Theory]
    [MemberData(nameof(Edits))]
    public async Task The_named_remedy_keeps_every_event(Edit edit, bool isInAppendOfFive)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var position = await FillAsync(place, isInAppendOfFive);
        var events = await place.Open().ReadAllAsync();
        place.CloseStores();
        var backup = place.Snapshot(place.Layout.Events);
        foreach (var (path, bytes) in backup.Where(each => each.Value is not null))
            place.Put($"/backup/{Path.GetFileName(path)}", bytes);
        Save(place, position, edit);
        place.Delete(place.Layout.IndexFile);
        place.Delete(place.Layout.Segment(0));

        var isAcceptable = edit is Edit.OtherValue or Edit.OtherEscape or Edit.OtherNumber or Edit.OtherOrder or Edit.OtherValueReformatted
            or Edit.OtherChecksum or Edit.ChecksumInCapitals or Edit.NoChecksum;
        var expected = isAcceptable ? Remedy.AcceptEditedFile : Remedy.RestoreFromFolder;
        Assert.Equal(expected, place.Check().Findings.First(each => each.Kind == FindingKind.BadEventFile).Remedy);
        Assert.Contains(expected, Remedies.ApplyAll(place, "/backup"));
        Assert.Equal(events.Select(each => each.Id), (await place.Open().ReadAllAsync()).Select(each => each.Id));
        Assert.Equal(events.Count + 1, (await place.Open().AppendAsync([New("next")])).LastPosition);
        place.AssertClean();
    }

    [Theory]
    [InlineData(Edit.Utf16)]
    [InlineData(Edit.OtherValue)]
    [InlineData(Edit.TextAfterTheEnd)]
    public async Task A_file_of_a_megabyte_is_no_exception(Edit edit)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync([New("a"), New("b")]);
        await store.AppendAsync([NewEvent.FromJson("order-placed", $$"""{"by":"Grün","note":"{{new string('x', 1_100_000)}}"}""")]);
        place.CloseStores();
        Save(place, 3, edit);
        place.Delete(place.Layout.IndexFile);

        AssertRefused(place, 3);
    }

    // Two events, and then one or five. Returns the position that is edited: the last of all, or one in the midst of the five.
    internal static async Task<long> FillAsync(StorePlace place, bool isInAppendOfFive)
    {
        var store = place.Open();
        if (await store.GetHeadAsync() == 0)
            await store.AppendAsync([New("a"), New("b")]);
        await store.AppendAsync([.. Enumerable.Range(1,
            isInAppendOfFive ? 5 : 1).Select(number => NewEvent.FromJson("order-placed", $$"""{"number":{{number}}.50,"by":"Grün"}"""))]);
        place.CloseStores();
        return isInAppendOfFive ? 5 : 3;
    }

    internal static string Describe(SequencedEvent e) => $"{e.Position} {e.Id} {e.Type} {Encoding.UTF8.GetString(e.Json.Span)}";

    private static void Save(StorePlace place, long position, Edit edit)
    {
        var path = place.Layout.EventFile(position);
        var text = Encoding.UTF8.GetString(place.Bytes(path));
        byte[] edited = edit switch
        {
            Edit.Utf16 => [.. Encoding.Unicode.Preamble, .. Encoding.Unicode.GetBytes(text)],
            Edit.Utf16BigEndian => [.. Encoding.BigEndianUnicode.Preamble, .. Encoding.BigEndianUnicode.GetBytes(text)],
            Edit.OtherValue => Replace("Grün", "Rot"),
            Edit.OtherEscape => Replace("Grün", "Gr\\u00fcn"),
            Edit.OtherNumber => Replace(".50", ".5"),
            Edit.OtherOrder =>
                Encoding.UTF8.GetBytes(text.Replace(",\n    \"by\": \"Grün\"", "", StringComparison.Ordinal).Replace("\"number\"",
                    "\"by\": \"Grün\",\n    \"number\"", StringComparison.Ordinal)),
            Edit.OtherValueReformatted =>
                Encoding.UTF8.GetBytes('\uFEFF' + text.Replace("Grün", "Rot", StringComparison.Ordinal).Replace("\n", "\r\n",
                    StringComparison.Ordinal).TrimEnd()),
            Edit.OtherChecksum => Replace(text[^12..^4], text[^12..^4] == "01234567" ? "76543210" : "01234567"),
            Edit.ChecksumInCapitals => Replace("crc32c", "CRC32C"),
            Edit.NoChecksum => Encoding.UTF8.GetBytes(text[..text.LastIndexOf(',')] + "\n}\n"),
            Edit.SyntaxError => Replace("\"by\": ", "\"by\" "),
            Edit.MissingMember => Replace("  \"type\": \"order-placed\",\n", ""),
            Edit.AnotherObject => Encoding.UTF8.GetBytes("{\n  \"name\": \"package.json\"\n}\n"),
            _ => Encoding.UTF8.GetBytes(text + "see me about this\n"),
        };
        Assert.NotEqual(place.Bytes(path), edited);
        place.Put(path, edited);

        byte[] Replace(string part, string replacement) => Encoding.UTF8.GetBytes(text.Replace(part, replacement, StringComparison.Ordinal));
    }

    // Whoever opens it, however often. The index is derived, so as much of it as can be told may be made.
    private static void AssertRefused(StorePlace place, long position)
    {
        var before = Digests(place);
        foreach (var readOnly in (bool[])[true, false, true, false])
        {
            var error = Assert.Throws<StoreDamagedException>(() => place.Open(options => options.ReadOnly = readOnly));
            Assert.Equal((position, place.Layout.EventFile(position)), (error.Position, error.Path));
            Assert.Contains("edited", error.Message, StringComparison.Ordinal);
            Assert.Contains(nameof(StoreRepair.AcceptEditedFileAsync), error.Message, StringComparison.Ordinal);
        }
        Assert.Equal(before, Digests(place));
        Assert.False(place.Exists(place.Layout.Quarantine));
    }

    // Files of megabytes are compared byte by byte for seconds otherwise.
    private static Dictionary<string, string> Digests(StorePlace place) =>
        place.Snapshot(place.Layout.Events).ToDictionary(static file => file.Key,
            static file => file.Value is null ? "" : Convert.ToHexString(SHA256.HashData(file.Value)));
}
