using Opossum.Maintenance;

namespace Opossum.Tests.FileSystem;

/// <summary>A store on a real disk that is full now and then.</summary>
public sealed class FullDiskTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    [Fact]
    public async Task Full_disk_refuses_appends_and_is_read_and_takes_appends_again_when_there_is_room()
    {
        using var disk = new RealMount("tmpfs", "size=512k", "none", Path.Combine(folder, "mounted"));
        var path = Path.Combine(disk.Point, "store");
        var filling = Path.Combine(disk.Point, "filling");
        File.WriteAllBytes(filling, new byte[64 * 1024]);
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        var stored = await AppendUntilFullAsync(store);
        var refused =
            await Assert.ThrowsAsync<StoreIOException>(async () => await store.AppendAsync([.. Enumerable.Range(0,
                5).Select(_ => Events.New("several"))]));
        Assert.Contains("Nothing was appended.", refused.Message, StringComparison.Ordinal);
        Assert.Contains("Free some space", refused.Message, StringComparison.Ordinal);
        Assert.Equal(stored, await CountAsync(store));

        // There is room for some of those that come at once, but not for all.
        File.Delete(filling);
        var answers = await Task.WhenAll(Enumerable.Range(0, 40).Select(_ => IsStoredAsync(store)));
        Assert.Contains(true, answers);
        Assert.Contains(false, answers);
        stored += answers.Count(static each => each);
        Assert.Equal(stored, await CountAsync(store));
        await using (var other = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }))
            Assert.Equal(stored, await CountAsync(other));

        Assert.True(RealMount.Run("mount", "-o", "remount,size=1m", disk.Point));
        Assert.Equal(stored + 1, (await store.AppendAsync(Events.New("t"))).FirstPosition);
        var report = await StoreCheck.RunAsync(path);
        Assert.True(report.IsClean, report.ToString());
    }

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private static async Task<long> AppendUntilFullAsync(FileSystemEventStore store)
    {
        var stored = 0;
        while (await IsStoredAsync(store))
            stored++;
        Assert.True(stored > 0);
        return stored;
    }

    private static async Task<bool> IsStoredAsync(FileSystemEventStore store)
    {
        try
        {
            await store.AppendAsync(Events.New("t"));
            return true;
        }
        catch (StoreIOException e)
        {
            Assert.True(e.IsTransient);
            return false;
        }
    }

    private static async Task<long> CountAsync(FileSystemEventStore store) => await store.ReadAsync(Query.All).CountAsync();
}
