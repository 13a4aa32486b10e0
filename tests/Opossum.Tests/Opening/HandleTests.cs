using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using Opossum.Tests.Damage;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>
/// A store that is closed holds no file open, whatever happened to its files while it was used: on Windows, what is held open cannot be
/// replaced.
/// </summary>
public sealed class HandleTests
{
    public static TheoryData<string> Kinds => [.. Enum.GetNames<VolumeKind>()];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Nothing_stays_open_when_the_index_was_built_again_meanwhile(string kind)
    {
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var clock = (SimulatedClock)place.Clock;
        var (one, other) = (place.Disk!.Attach(), place.Disk.Attach());
        var store = place.Open(one);
        var reader = place.Open(other, options => options.ReadOnly = true);
        for (var round = 0; round < 3; round++)
        {
            await store.AppendAsync([New("a", "k:1"), New("b")]);
            clock.Advance(TimeSpan.FromSeconds(2));
            Assert.Equal(2 * (round + 1), (await reader.ReadAllAsync()).Count);
            place.Delete(place.Layout.IndexFile);
            place.Delete(place.Layout.Segment(0));
        }
        place.CloseStores();
        Assert.Equal([], one.OpenFiles);
        Assert.Equal([], other.OpenFiles);
    }

    [Fact]
    public async Task Nothing_stays_open_when_a_file_operation_fails()
    {
        using var original = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(original);
        var tried = 0;
        foreach (var work in (Action<StorePlace, IFileSystem>[])[OpenAndAppend, OpenForReading, (_, files) => StoreCheck.Run(files, original.Layout),
            Rebuild])
        {
            for (var failing = 1; ; failing++)
            {
                using var place = StorePlace.On(VolumeKind.Ext4);
                place.Restore(whole.Files);
                var client = place.Disk!.Attach();
                var count = 0;
                place.Disk.Fail(new Fault { When = operation => operation.Client == client && ++count == failing });
                try
                {
                    work(place, client);
                }
                catch (EventStoreException)
                {
                    // What it is told is asked elsewhere.
                }
                Assert.Equal([], client.OpenFiles);
                tried++;
                if (count < failing)
                    break;
            }
        }
        Assert.True(tried > 100, $"{tried}");
    }

    [Fact]
    public async Task No_tag_of_a_store_is_kept_for_the_life_of_the_process()
    {
        var key = $"key-{Guid.NewGuid():N}";
        using (var place = StorePlace.On(VolumeKind.Ext4))
        {
            await place.Open().AppendAsync([New("a", $"{key}:1"), New("b", $"{key}:2")]);
            place.CloseStores();
            Assert.Equal(2, (await place.Open().ReadAllAsync()).Count);
        }
        Assert.Null(string.IsInterned(key));
    }

    private static void OpenAndAppend(StorePlace place, IFileSystem files)
    {
        using var store = FileSystemEventStore.Open(place.Options(), files, place.Layout);
        store.AppendAsync([New("a"), New("b")]).GetAwaiter().GetResult();
    }

    private static void OpenForReading(StorePlace place, IFileSystem files)
    {
        var options = place.Options();
        options.ReadOnly = true;
        using var store = FileSystemEventStore.Open(options, files, place.Layout);
        store.ReadAllAsync().GetAwaiter().GetResult();
    }

    private static void Rebuild(StorePlace place, IFileSystem files) => place.Repair(files, static store => store.RebuildIndex());
}
