using System.Text;
using Opossum.FileSystem.Simulated;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Damage;

/// <summary>What somebody saved with an editor at the end of a store is never taken for what a crash left there.</summary>
public sealed class EditedFileTests
{
    public enum Edit
    {
        CarriageReturns,
        ByteOrderMark,
        Utf16,
        OtherValue,
        OneLine,
        SyntaxError,
        MissingMember,
        TextAfterTheEnd,
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
        place.Delete(place.Layout.PackedFile);

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

    [Fact]
    public async Task An_index_that_does_not_fit_stays_too_when_it_is_refused()
    {
        using var place = StorePlace.On(VolumeKind.Nfs);
        var position = await FillAsync(place, isInAppendOfFive: true);
        // Another first event: the index is of other event files.
        var first = place.Event(1);
        place.Put(place.Layout.EventFile(1), Storage.Ledger.EventFile.TextOf(first with { TimestampTicks = first.TimestampTicks + 1 }));
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
        var backup = place.Snapshot(place.Layout.ShardFolder(0));
        foreach (var (path, bytes) in backup.Where(each => each.Value is not null))
            place.Put($"/backup/{Path.GetFileName(path)}", bytes);
        Save(place, position, edit);
        place.Delete(place.Layout.IndexFile);
        place.Delete(place.Layout.PackedFile);

        var isAcceptable = edit is Edit.CarriageReturns or Edit.ByteOrderMark or Edit.OtherValue or Edit.OneLine;
        var expected = isAcceptable ? StoreRemedy.AcceptEditedFile : StoreRemedy.RestoreFromFolder;
        Assert.Equal(expected, place.Check().Findings.First(each => each.Kind == StoreFindingKind.BadEventFile).Remedy);
        Assert.Contains(expected, Remedies.ApplyAll(place, "/backup"));
        Assert.Equal(events.Select(each => each.Id), (await place.Open().ReadAllAsync()).Select(each => each.Id));
        Assert.Equal(events.Count + 1, (await place.Open().AppendAsync([New("next")])).LastPosition);
        place.AssertClean();
    }

    [Fact]
    public async Task A_missing_last_line_feed_is_no_edit()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var position = await FillAsync(place, isInAppendOfFive: true);
        place.Put(place.Layout.EventFile(position), place.Bytes(place.Layout.EventFile(position)).AsSpan()[..^1]);
        place.Delete(place.Layout.IndexFile);
        place.Delete(place.Layout.PackedFile);

        Assert.Equal(7, await place.Open().GetHeadAsync());
        place.CloseStores();
        place.AssertClean();
    }

    // Two events, and then one or five. Returns the position that is edited: the last of all, or one in the midst of the five.
    private static async Task<long> FillAsync(StorePlace place, bool isInAppendOfFive)
    {
        var store = place.Open();
        if (await store.GetHeadAsync() == 0)
            await store.AppendAsync([New("a"), New("b")]);
        await store.AppendAsync([.. Enumerable.Range(1, isInAppendOfFive ? 5 : 1).Select(number => NewEvent.FromJson("order-placed", $$"""{"number":{{number}},"by":"Grün"}"""))]);
        place.CloseStores();
        return isInAppendOfFive ? 5 : 3;
    }

    private static void Save(StorePlace place, long position, Edit edit)
    {
        var path = place.Layout.EventFile(position);
        var text = Encoding.UTF8.GetString(place.Bytes(path));
        place.Put(path, edit switch
        {
            Edit.CarriageReturns => Encoding.UTF8.GetBytes(text.Replace("\n", "\r\n", StringComparison.Ordinal)),
            Edit.ByteOrderMark => [.. Encoding.UTF8.Preamble, .. Encoding.UTF8.GetBytes(text)],
            Edit.Utf16 => [.. Encoding.Unicode.Preamble, .. Encoding.Unicode.GetBytes(text)],
            Edit.OtherValue => Encoding.UTF8.GetBytes(text.Replace("Grün", "Rot", StringComparison.Ordinal)),
            Edit.OneLine => Encoding.UTF8.GetBytes(text.Replace("\n", "", StringComparison.Ordinal)),
            Edit.SyntaxError => Encoding.UTF8.GetBytes(text.Replace("\"by\": ", "\"by\" ", StringComparison.Ordinal)),
            Edit.MissingMember => Encoding.UTF8.GetBytes(text.Replace("  \"type\": \"order-placed\",\n", "", StringComparison.Ordinal)),
            _ => Encoding.UTF8.GetBytes(text + "see me about this\n"),
        });
    }

    // Whoever opens it, however often. The index is derived, so as much of it as can be told may be made.
    private static void AssertRefused(StorePlace place, long position)
    {
        var before = place.Snapshot(place.Layout.Events);
        foreach (var readOnly in (bool[])[true, false, true, false])
        {
            var error = Assert.Throws<StoreDamagedException>(() => place.Open(options => options.ReadOnly = readOnly));
            Assert.Equal((position, place.Layout.EventFile(position)), (error.Position, error.Path));
            Assert.Contains("edited", error.Message, StringComparison.Ordinal);
        }
        Assert.Equal(before, place.Snapshot(place.Layout.Events));
        Assert.False(place.Exists(place.Layout.Quarantine));
    }
}
