using System.Text;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using Opossum.Tests.Damage;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Repair;

/// <summary>Whatever is wrong, the remedy that its finding names mends it.</summary>
public sealed class RemedyTests(ITestOutputHelper output)
{
    private const string Backup = "/backup";

    private enum Damage
    {
        Removed,
        Emptied,
        Cut,
        Zeroed,
        Edited,
        EditedData,
        Swapped,
        RemovedWithAllBehind,
    }

    private enum IndexDamage
    {
        None,
        Removed,
        FramesCut,
        LinesZeroed,
        OneByte,
    }

    private static readonly (long Position, Damage Damage, IndexDamage Index)[] allDamage =
    [
        .. from position in Enumerable.Range(1, 10)
           from damage in Enum.GetValues<Damage>()
           from index in Enum.GetValues<IndexDamage>()
           where damage != Damage.Swapped || position < 10
           select ((long)position, damage, index),
    ];

    [Fact]
    public async Task Whatever_is_wrong_with_files_and_index_the_named_remedies_mend_it()
    {
        using var original = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(original);
        var counts = new System.Collections.Concurrent.ConcurrentDictionary<string, int>();
        Cases.TryEach(
            allDamage,
            each =>
            {
                using var place = DamagedPlace(whole, each);
                var done = string.Join(", ", Remedies.ApplyAll(place, Backup));
                counts.AddOrUpdate(done, 1, (_, count) => count + 1);

                var store = place.Open();
                // What nothing proved to be stored was set aside; all else is as it was, or as it was edited to be.
                if (each.Damage == Damage.EditedData && done.Contains(nameof(Remedy.AcceptEditedFile), StringComparison.Ordinal))
                {
                    Assert.Contains("EDITED",
                        Encoding.UTF8.GetString((store.ReadAllAsync().GetAwaiter().GetResult())[(int)each.Position - 1].Json.Span),
                        StringComparison.Ordinal);
                }
                else
                {
                    // Without an index nothing shows that there were events after the last file.
                    var isEndUnknown = done.Contains(nameof(Remedy.OpenStore), StringComparison.Ordinal)
                        || (done.Length == 0 && each.Index == IndexDamage.Removed);
                    whole.AssertAnswers(store, isEndUnknown ? null : whole.Head);
                }

                return 1;
            },
            output, share: 0.5);
        foreach (var (done, count) in counts.OrderByDescending(each => each.Value))
            output.WriteLine($"{count} times: {done}");
    }

    [Fact]
    public async Task After_the_remedy_that_a_finding_names_the_finding_is_gone_or_the_remedy_says_why_not()
    {
        using var original = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(original);
        Cases.TryEach(
            allDamage,
            each =>
            {
                var tried = 0;
                IReadOnlyList<StoreFinding> findings;
                do
                {
                    using var place = DamagedPlace(whole, each);
                    findings = place.Check().Findings;
                    if (tried == findings.Count)
                        break;
                    var finding = findings[tried];
                    var whyNot = Remedies.TryApply(place, finding, Backup);
                    var left =
                        place.Check().Findings.Where(other => (other.Kind, other.Path, other.Position) == (finding.Kind, finding.Path,
                            finding.Position));
                    Assert.True(whyNot is { Length: > 0 } || !left.Any(), $"{each}: {finding} is still there after its remedy.");
                }
                while (++tried < findings.Count);
                return 1;
            },
            output, share: 0.5);
    }

    [Theory]
    [InlineData(3, "\"commit\": { \"first\": 2, \"last\": 4", "\"commit\": { \"first\": 3, \"last\": 3")]
    [InlineData(3, "\"after\": 1", "\"after\": 0")]
    [InlineData(3, "\"timestamp\": \"2", "\"timestamp\": \"3")]
    [InlineData(10, "\"commit\": { \"first\": 10", "\"commit\": { \"first\": 9")]
    public async Task An_edit_that_would_not_be_accepted_is_not_named_as_acceptable(int position, string part, string edit)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(place);
        PutBackup(place, whole);
        var path = place.Layout.EventFile(position);
        var text = Encoding.UTF8.GetString(place.Bytes(path));
        Assert.Contains(part, text, StringComparison.Ordinal);
        place.Put(path, Encoding.UTF8.GetBytes(text.Replace(part, edit, StringComparison.Ordinal)));
        place.Delete(place.Layout.IndexFile);
        place.Delete(place.Layout.Segment(0));

        Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.Accept(position)));
        Assert.All(place.Check().Findings.Where(each => each.Path == path), each => Assert.Equal(Remedy.RestoreFromFolder, each.Remedy));
        Assert.DoesNotContain(Remedy.AcceptEditedFile, Remedies.ApplyAll(place, Backup));
        whole.AssertAnswers(place.Open(), 10);
    }

    private static void PutBackup(StorePlace place, WholeStore whole)
    {
        for (var position = 1; position <= 10; position++)
            place.Put($"{Backup}/{position:D10}.json", whole.Files[place.Layout.EventFile(position)]);
    }

    private static StorePlace DamagedPlace(WholeStore whole, (long Position, Damage Damage, IndexDamage Index) each)
    {
        var place = StorePlace.On(VolumeKind.Ext4);
        place.Restore(whole.Files);
        DamageFile(place, whole, each.Position, each.Damage);
        DamageIndex(place, whole, each.Index);
        PutBackup(place, whole);
        return place;
    }

    private static void DamageFile(StorePlace place, WholeStore whole, long position, Damage damage)
    {
        var path = place.Layout.EventFile(position);
        var good = whole.Files[path]!;
        switch (damage)
        {
            case Damage.Removed:
                place.Delete(path);
                break;
            case Damage.RemovedWithAllBehind:
                for (; position <= 10; position++)
                    place.Delete(place.Layout.EventFile(position));
                break;
            case Damage.Swapped:
                place.Put(path, whole.Files[place.Layout.EventFile(position + 1)]);
                place.Put(place.Layout.EventFile(position + 1), good);
                break;
            default:
                place.Put(path, damage switch
                {
                    Damage.Emptied => [],
                    Damage.Cut => good[..^30],
                    Damage.Zeroed => new byte[good.Length],
                    Damage.Edited =>
                        Encoding.UTF8.GetBytes("\uFEFF"
                            + Encoding.UTF8.GetString(good).Replace("\n", "\r\n", StringComparison.Ordinal).Replace("crc32c:", "CRC32C:",
                            StringComparison.Ordinal)),
                    _ =>
                        Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(good).Replace("\"data\": {}", "\"data\": { \"e\": \"EDITED\" }",
                            StringComparison.Ordinal).Replace("\"data\": {\n", "\"data\": {\n\"e\": \"EDITED\",\n", StringComparison.Ordinal)),
                });
                break;
        }
    }

    private static void DamageIndex(StorePlace place, WholeStore whole, IndexDamage damage)
    {
        var (index, segment) = (whole.Files[place.Layout.IndexFile]!, whole.Files[place.Layout.Segment(0)]!);
        switch (damage)
        {
            case IndexDamage.Removed:
                place.Delete(place.Layout.IndexFile);
                place.Delete(place.Layout.Segment(0));
                break;
            case IndexDamage.FramesCut:
                place.Put(place.Layout.IndexFile, index.AsSpan(0, index.Length / 2));
                break;
            case IndexDamage.LinesZeroed:
                place.Put(place.Layout.Segment(0), [.. segment.AsSpan(0, 32), .. new byte[segment.Length - 32]]);
                break;
            case IndexDamage.OneByte:
                place.Patch(place.Layout.Segment(0), segment.Length / 2, [0xEE, 0xEE]);
                break;
        }
    }
}
