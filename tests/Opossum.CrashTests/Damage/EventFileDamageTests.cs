using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Damage;

/// <summary>
/// Whatever happens to whichever event file: the check names it, what is answered is right, and where nothing is left that could answer, an
/// error names it.
/// </summary>
public sealed class EventFileDamageTests(ITestOutputHelper output)
{
    private enum Damage
    {
        Removed,
        Emptied,
        CutInHalf,
        CutByTwo,
        Zeroed,
        ZeroedAtItsEnd,
        Edited,
        Duplicated,
        Swapped,
        ReplacedByAFolder,
        Unreadable,
    }

    [Fact]
    public async Task With_the_index_every_answer_is_right_and_the_check_names_the_file()
    {
        using var original = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(original);
        Cases.TryEach(
            [.. All(whole)],
            each =>
            {
                using var place = Damaged(whole, each.Position, each.Damage);
                var named =
                    place.Check().Findings.Where(
                        finding => finding.Kind is FindingKind.BadEventFile or FindingKind.Gap or FindingKind.IndexMismatch);
                Assert.Contains(named, finding => finding.Position == each.Position);
                var before = EventFiles(place);
                foreach (var readOnly in (bool[])[true, false])
                    AssertRightOrNamed(place, whole, each.Position, readOnly);
                Assert.Equal(before, EventFiles(place));
                return 1;
            },
            output, share: 0.5);
    }

    [Fact]
    public async Task Without_the_index_what_is_certain_is_answered_or_the_damage_named()
    {
        using var original = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(original);
        Cases.TryEach(
            [.. All(whole)],
            each =>
            {
                using var place = Damaged(whole, each.Position, each.Damage);
                place.Delete(place.Layout.IndexFile);
                place.Delete(place.Layout.Segment(0));
                var before = EventFiles(place);
                // Position 10, the last, proves all up to 9. Nothing proves itself; and a swapped pair takes the one that proves with it. What was
                // edited shows that it was stored.
                var isProven = (each.Position < 10 || each.Damage == Damage.Edited) && !(each.Damage == Damage.Swapped && each.Position == 9);
                foreach (var readOnly in (bool[])[true, false])
                {
                    var isNamed = !AssertRightOrNamed(place, whole, each.Position, readOnly);
                    Assert.True(isNamed == isProven
                        || (each.Damage is Damage.Unreadable or Damage.ReplacedByAFolder && isNamed), $"read-only: {readOnly}");
                    Assert.True(!isNamed || before == EventFiles(place), "changed");
                }
                return 1;
            },
            output, share: 0.5);
    }

    [Fact]
    public async Task A_copy_of_an_old_event_file_under_the_next_name_is_set_aside_by_the_next_append()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(place);
        var store = place.Open();
        place.Put(place.Layout.EventFile(11), place.Bytes(place.Layout.EventFile(3)));

        Assert.Equal(new AppendResult { FirstPosition = 11, LastPosition = 11 }, await store.AppendAsync([New("next")]));
        Assert.Equal("next", (await store.ReadLastAsync(Query.All))!.Type);
        var aside = Assert.Single(place.Snapshot(place.Layout.Quarantine), each => each.Value is not null);
        Assert.EndsWith("/0000000011.json", aside.Key, StringComparison.Ordinal);
        Assert.Equal(whole.Files[place.Layout.EventFile(3)], aside.Value);
        place.AssertClean();
    }

    private static IEnumerable<(long Position, Damage Damage)> All(WholeStore whole) =>
        from position in Enumerable.Range(1, (int)whole.Head)
        from damage in Enum.GetValues<Damage>()
        where damage != Damage.Swapped || position < whole.Head
        select ((long)position, damage);

    // False: it was refused, with an error that names the position. True: the store opened, and all it answered was right.
    private static bool AssertRightOrNamed(StorePlace place, WholeStore whole, long position, bool readOnly)
    {
        try
        {
            whole.AssertAnswers(place.Open(options => options.ReadOnly = readOnly));
            return true;
        }
        catch (StoreDamagedException damage)
        {
            Assert.Equal((position, place.Layout.EventFile(position)), (damage.Position, damage.Path));
            Assert.Contains(damage.Path, damage.Message, StringComparison.Ordinal);
            return false;
        }
        catch (StoreOpenException error)
        {
            Assert.Equal(place.Layout.EventFile(position), error.Path);
            return false;
        }
        finally
        {
            place.CloseStores();
        }
    }

    private static string EventFiles(StorePlace place)
    {
        var client = (SimulatedFileSystem)place.Attach();
        var folder = place.Layout.ShardFolder(0);
        return string.Join('\n', client.List(folder).Order(StringComparer.Ordinal).Select(name => $"{name} {Length($"{folder}/{name}")}"));

        long? Length(string path)
        {
            using var file = client.GetKind(path) == EntryKind.File ? client.Open(path, FileOpening.Read) : null;
            return file?.GetLength();
        }
    }

    private static StorePlace Damaged(WholeStore whole, long position, Damage damage)
    {
        var place = StorePlace.On(VolumeKind.Ext4);
        place.Restore(whole.Files);
        var path = place.Layout.EventFile(position);
        var good = whole.Files[path]!;
        switch (damage)
        {
            case Damage.Removed:
                place.Delete(path);
                break;
            case Damage.ReplacedByAFolder:
                place.Delete(path);
                place.CreateFolder(path);
                break;
            case Damage.Swapped:
                place.Put(path, whole.Files[place.Layout.EventFile(position + 1)]);
                place.Put(place.Layout.EventFile(position + 1), good);
                break;
            case Damage.Unreadable:
                place.Disk!.Fail(new Fault { When = operation => operation.Kind == OperationKind.Read && operation.Path == path, Lasts = true });
                break;
            default:
                place.Put(path, damage switch
                {
                    Damage.Emptied => [],
                    Damage.CutInHalf => good[..(good.Length / 2)],
                    Damage.CutByTwo => good[..^2],
                    Damage.Zeroed => new byte[good.Length],
                    Damage.ZeroedAtItsEnd => [.. good[..(good.Length / 2)], .. new byte[good.Length - good.Length / 2]],
                    Damage.Edited =>
                        Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(good).Replace("\"timestamp\": \"20", "\"timestamp\": \"19",
                            StringComparison.Ordinal)),
                    _ => whole.Files[place.Layout.EventFile(position % whole.Head + 1)],
                });
                break;
        }
        return place;
    }
}
