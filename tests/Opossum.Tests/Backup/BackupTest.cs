using static Opossum.Tests.Events;

namespace Opossum.Tests.Backup;

/// <summary>A store on a real disk, and what tests of its copies have in common.</summary>
public abstract class BackupTest : IDisposable
{
    protected string Folder { get; } = Directory.CreateTempSubdirectory("opossum-").FullName;

    protected string Source => Path.Combine(Folder, "shop");

    public virtual void Dispose()
    {
        Directory.Delete(Folder, recursive: true);
        GC.SuppressFinalize(this);
    }

    protected static async Task AppendAsync(string path, params int[] sizes)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        foreach (var size in sizes)
            await store.AppendAsync(Many(size));
    }

    protected static async Task<List<Guid>> ReadAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, ReadOnly = true });
        return (await store.ReadAllAsync()).ConvertAll(e => e.Id);
    }

    private protected sealed class Each<T>(Action<T> see) : IProgress<T>
    {
        public void Report(T value) => see(value);
    }
}
