using Opossum.FileSystem.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Damage;

/// <summary>Whatever happens to whichever byte of the index files: right answers, or as many of them as are certain, and never a wrong one.</summary>
public sealed class IndexDamageTests(ITestOutputHelper output)
{
    private enum Change
    {
        OneBit,
        HighBit,
        Zero,
        Ones,
        Cut,
        Removed,
        Inserted,
        SectorOfZeros,
        FromTheBeginning,
    }

    [Theory]
    [InlineData("types-and-tags.idx")]
    [InlineData("events.dat")]
    public async Task Any_change_of_any_byte(string name)
    {
        using var original = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(original);
        var path = $"{original.Layout.Index}/{name}";
        var cases = from at in Enumerable.Range(0, whole.Files[path]!.Length)
                    from change in Enum.GetValues<Change>()
                    select (At: at, Change: change);
        Cases.TryEach(Cases.Some(cases, 10), each => Try(whole, path, each.At, each.Change), output);
    }

    [Fact]
    public async Task Any_change_of_the_packed_copies_under_an_open_store()
    {
        using var original = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(original);
        var cases = from at in Enumerable.Range(0, whole.Files[original.Layout.PackedFile]!.Length)
                    from change in (Change[])[Change.OneBit, Change.Zero, Change.Ones, Change.SectorOfZeros]
                    select (At: at, Change: change);
        Cases.TryEach(
            Cases.Some(cases, 10),
            each =>
            {
                using var place = StorePlace.On(VolumeKind.Ext4);
                place.Restore(whole.Files);
                var (store, reader) = (place.Open(), place.Open(options => options.ReadOnly = true));
                place.Patch(place.Layout.PackedFile, 0, Changed(whole.Files[place.Layout.PackedFile]!, each.At, each.Change));
                whole.AssertAnswers(store, whole.Head);
                whole.AssertAnswers(reader, whole.Head);
                store.AppendAsync([New("next")]).AsTask().GetAwaiter().GetResult();
                // The headers are looked at when a store is opened.
                place.CloseStores();
                place.Open();
                place.AssertClean();
                return 1;
            },
            output);
    }

    private static int Try(WholeStore whole, string path, int at, Change change)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        place.Restore(whole.Files);
        place.Put(path, Changed(whole.Files[path]!, at, change));
        var before = place.Snapshot();
        // The last append is certain only where nobody can be at work, or nothing is left that could be behind it.
        whole.AssertAnswers(place.Open(options => options.ReadOnly = true));
        place.Disk!.Volume = place.Disk.Volume with { IsReadOnly = true };
        whole.AssertAnswers(place.Open(options => options.ReadOnly = true), whole.Head);
        place.CloseStores();
        Assert.Equal(before, place.Snapshot());

        var store = place.Open();
        whole.AssertAnswers(store, whole.Head);
        Assert.Equal(new AppendResult(11, 12), store.AppendAsync([New("next"), New("next")], new AppendCondition(Tagged("k:2"), After: 10)).AsTask().GetAwaiter().GetResult());
        place.AssertClean();
        return 3;
    }

    private static byte[] Changed(byte[] bytes, int at, Change change)
    {
        var changed = bytes.ToArray();
        switch (change)
        {
            case Change.OneBit:
                changed[at] ^= 1;
                break;
            case Change.HighBit:
                changed[at] ^= 0x80;
                break;
            case Change.Zero:
                changed[at] = 0;
                break;
            case Change.Ones:
                changed[at] = 0xFF;
                break;
            case Change.SectorOfZeros:
                changed.AsSpan(at, Math.Min(512, changed.Length - at)).Clear();
                break;
            case Change.Cut:
                return changed[..at];
            case Change.Removed:
                return [.. changed[..at], .. changed[(at + 1)..]];
            case Change.Inserted:
                return [.. changed[..at], 0x5A, .. changed[at..]];
            default:
                return [.. changed[at..]];
        }
        return changed;
    }
}
