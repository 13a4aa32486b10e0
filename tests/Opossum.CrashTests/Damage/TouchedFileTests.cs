using System.Text;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Damage;

/// <summary>An event file in which an editor changed white space alone is as good as before, at any position and for every reader.</summary>
public sealed class TouchedFileTests
{
    public enum Touch
    {
        CarriageReturns,
        ByteOrderMark,
        NoLastLineFeed,
        OneLine,
        Minified,
        Tabs,
        FourBlanks,
        BlankLinesAround,
        TrailingWhiteSpace,
        AllOfNotepad,
    }

    public static MatrixTheoryData<Touch, bool, bool> Touches => new(Enum.GetValues<Touch>(), [false, true], [false, true]);

    [Theory]
    [MemberData(nameof(Touches))]
    public async Task A_store_is_read_appended_to_and_checked_as_before(Touch touch, bool isEveryFile, bool hasIndex)
    {
        foreach (var isInAppendOfFive in (bool[])[false, true])
        {
            using var place = StorePlace.On(VolumeKind.Ext4);
            var position = await EditedFileTests.FillAsync(place, isInAppendOfFive);
            var events = (await place.Open().ReadAllAsync()).Select(EditedFileTests.Describe).ToList();
            place.CloseStores();
            var index = place.Snapshot(place.Layout.Index);
            foreach (var each in isEveryFile ? Enumerable.Range(1, events.Count).Select(number => (long)number) : [position])
                Save(place, each, touch);
            if (!hasIndex)
            {
                place.Delete(place.Layout.IndexFile);
                place.Delete(place.Layout.Segment(0));
            }
            var files = place.Snapshot(place.Layout.Events);

            Assert.All(place.Check().Findings,
                finding => Assert.True(!hasIndex && finding.Kind == FindingKind.IndexMismatch, finding.ToString()));
            foreach (var readOnly in (bool[])[true, false])
            {
                Assert.Equal(events, (await place.Open(options => options.ReadOnly = readOnly).ReadAllAsync()).Select(EditedFileTests.Describe));
                place.CloseStores();
            }
            place.AssertClean();
            Assert.Equal(index, place.Snapshot(place.Layout.Index));
            Assert.Equal(files, place.Snapshot(place.Layout.Events));
            Assert.Equal(events.Count + 1, (await place.Open().AppendAsync([New("next")])).LastPosition);
            place.CloseStores();
            place.AssertClean();
            Assert.False(place.Exists(place.Layout.Quarantine));
        }
    }

    [Theory]
    [MemberData(nameof(Touches))]
    public async Task No_repair_has_anything_to_do(Touch touch, bool isInAppendOfFive, bool hasIndex)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var position = await EditedFileTests.FillAsync(place, isInAppendOfFive);
        Save(place, position, touch);
        if (!hasIndex)
        {
            place.Delete(place.Layout.IndexFile);
            place.Delete(place.Layout.Segment(0));
        }
        var files = place.Snapshot(place.Layout.Events);

        var accepted = place.Repair(Remedies.Accept(position));
        Assert.Equal(hasIndex ? RepairOutcome.NothingToDo : RepairOutcome.IndexRebuilt, accepted.Outcome);
        Assert.Empty(accepted.Restored);
        Assert.Null(accepted.Problem);
        Assert.Empty(place.Repair(Remedies.RestoreFromIndex).Restored);
        Assert.Equal(files, place.Snapshot(place.Layout.Events));
        Assert.False(place.Exists(place.Layout.Quarantine));
        place.AssertClean();
    }

    [Theory]
    [InlineData(Touch.CarriageReturns)]
    [InlineData(Touch.AllOfNotepad)]
    [InlineData(Touch.Minified)]
    public async Task What_is_put_back_from_a_touched_backup_is_laid_out_as_the_store_does_it(Touch touch)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        await EditedFileTests.FillAsync(place, isInAppendOfFive: true);
        var files = place.Snapshot(place.Layout.Events);
        for (var position = 3; position <= 7; position++)
        {
            Save(place, position, touch);
            place.Put($"/backup/{position:D10}.json", place.Bytes(place.Layout.EventFile(position)));
            place.Delete(place.Layout.EventFile(position));
        }

        Assert.Equal([3, 4, 5, 6, 7], place.Repair(Remedies.RestoreFrom("/backup")).Restored);
        Assert.Equal(files, place.Snapshot(place.Layout.Events));
        place.AssertClean();
    }

    [Fact]
    public async Task A_file_of_a_megabyte_may_have_much_white_space_at_its_end()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        await place.Open().AppendAsync([NewEvent.FromJson("order-placed", $$"""{"note":"{{new string('x', 1_100_000)}}"}""")]);
        place.CloseStores();
        place.Put(place.Layout.EventFile(1), [.. place.Bytes(place.Layout.EventFile(1)), .. Encoding.UTF8.GetBytes(new string('\n', 100))]);
        place.Delete(place.Layout.IndexFile);

        Assert.Equal(1, await place.Open().GetHeadAsync());
        place.CloseStores();
        place.AssertClean();
    }

    private static void Save(StorePlace place, long position, Touch touch)
    {
        var path = place.Layout.EventFile(position);
        var text = Encoding.UTF8.GetString(place.Bytes(path));
        var touched = touch switch
        {
            Touch.CarriageReturns => text.Replace("\n", "\r\n", StringComparison.Ordinal),
            Touch.ByteOrderMark => '\uFEFF' + text,
            Touch.NoLastLineFeed => text[..^1],
            Touch.OneLine => text.Replace("\n", "", StringComparison.Ordinal),
            Touch.Minified => text.Replace("\n", "", StringComparison.Ordinal).Replace(" ", "", StringComparison.Ordinal),
            Touch.Tabs => text.Replace("  ", "\t", StringComparison.Ordinal),
            Touch.FourBlanks => text.Replace("  ", "    ", StringComparison.Ordinal),
            Touch.BlankLinesAround => $"\n\n{text}\n\n",
            Touch.TrailingWhiteSpace => text.Replace("\n", " \t\n", StringComparison.Ordinal),
            _ => '\uFEFF' + text.Replace("\n", "\r\n", StringComparison.Ordinal).TrimEnd(),
        };
        Assert.NotEqual(text, touched);
        place.Put(path, Encoding.UTF8.GetBytes(touched));
    }
}
