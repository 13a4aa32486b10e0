using Opossum.FileSystem;
using Opossum.FileSystem.Portable;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.FileSystem;

/// <summary>A pipe, a socket or a device in the place of a file: named and refused, and nobody waits for what never comes out of it.</summary>
public sealed class SpecialFileTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private readonly StorePlace place = StorePlace.InFolder();

    public static TheoryData<string, string> Places
    {
        get
        {
            var places = new TheoryData<string, string>();
            foreach (var kind in SpecialFile.Kinds)
            {
                foreach (var name in (string[])[".store.lock", "store.json", "Index/types-and-tags.idx", "Log/0000000000.jsonl",
                    "Events/0000000000/0000000003.json"])
                {
                    places.Add(kind, name);
                }
            }
            return places;
        }
    }

    public void Dispose() => place.Dispose();

    [Theory(Timeout = HangMilliseconds)]
    [MemberData(nameof(Places))]
    public Task In_the_place_of_a_file_it_is_refused_by_name(string kind, string name) => Task.Run(() =>
    {
        Fill();
        var path = Path.Combine(place.Root, name);
        File.Delete(path);
        SpecialFile.Make(path, kind);

        foreach (var readOnly in (bool[])[false, true])
        {
            foreach (var fileSystem in (IFileSystem[])[RealFileSystem.Create(), new PortableFileSystem()])
            {
                var error = Assert.Throws<StoreOpenException>(() => place.Open(fileSystem, options => options.ReadOnly = readOnly));
                Assert.Equal(path, error.Path);
                Assert.Contains("is not a regular file", error.Message, StringComparison.Ordinal);
                Assert.Contains("Move it away", error.Message, StringComparison.Ordinal);
            }
        }
        if (name.StartsWith("Events", StringComparison.Ordinal))
        {
            Assert.Contains(place.Check().Findings, each => each.Kind == FindingKind.BadEventFile
                && each.Message == $"{path} is not a regular file");
        }
        else if (name == "store.json")
        {
            Assert.Contains(place.Check().Findings,
                each => (each.Kind, each.Path, each.Remedy) == (FindingKind.BadStoreFile, path, Remedy.MoveAway));
        }
        else
        {
            Assert.Equal(new StoreFinding
            {
                Kind = FindingKind.ForeignFile,
                Path = path,
                Position = null,
                Message = $"{path} is not a regular file",
                Remedy = Remedy.MoveAway,
            },
                Assert.Single(place.Check().Findings));
        }

        File.Delete(path);
        if (name.StartsWith("Events", StringComparison.Ordinal))
            Assert.Equal([3], place.Repair(Remedies.RestoreFromIndex).Restored);
        Assert.Equal(3, place.Open().ReadAllAsync().GetAwaiter().GetResult().Count);
    });

    [Theory(Timeout = HangMilliseconds)]
    [InlineData("pipe")]
    [InlineData("socket")]
    [InlineData("device")]
    public Task In_the_middle_of_the_event_files_it_is_named_by_check_and_reads_and_mended_from_the_index(string kind) => Task.Run(async () =>
    {
        Fill();
        var file = place.Layout.EventFile(2);
        File.Delete(file);
        SpecialFile.Make(file, kind);

        var finding = Assert.Single(place.Check().Findings, each => each.Kind == FindingKind.BadEventFile);
        Assert.Equal($"{file} is not a regular file", finding.Message);
        Assert.Equal(Remedy.RestoreFromIndex, finding.Remedy);
        Assert.Equal([1, 2, 3], await place.Open().PositionsAsync());

        var store = place.Open();
        var segment = place.Bytes(place.Layout.Segment(0));
        place.Patch(place.Layout.Segment(0), 64, new byte[segment.Length - 64]);
        var error = await Assert.ThrowsAsync<StoreDamagedException>(() => store.ReadAllAsync());
        Assert.Equal((file, 2), (error.Path, error.Position));
        Assert.Contains("is not a regular file", error.Message, StringComparison.Ordinal);
        place.Patch(place.Layout.Segment(0), 0, segment);
        place.CloseStores();
        Assert.Equal([2], place.Repair(Remedies.RestoreFromIndex).Restored);
        place.AssertClean();
    });

    [Theory(Timeout = HangMilliseconds)]
    [InlineData("pipe")]
    [InlineData("socket")]
    [InlineData("device")]
    public Task Behind_the_last_event_it_is_set_aside_and_appends_go_on(string kind) => Task.Run(async () =>
    {
        Fill();
        SpecialFile.Make(place.Layout.EventFile(4), kind);
        var store = place.Open();
        Assert.Equal(4, (await store.AppendAsync([New("t")])).LastPosition);
        SpecialFile.Make(place.Layout.EventFile(5), kind);
        Assert.Equal(6, (await store.AppendAsync([New("t"), New("t")])).LastPosition);
        Assert.Equal([1, 2, 3, 4, 5, 6], await store.PositionsAsync());
        place.CloseStores();
        place.AssertClean();
    });

    private void Fill()
    {
        for (var at = 0; at < 3; at++)
            place.Open().AppendAsync([New("t", $"k:{at}")]).GetAwaiter().GetResult();
        place.CloseStores();
    }
}
