using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using static Opossum.Tests.Events;

namespace Opossum.Tests.FileSystem;

/// <summary>Stores on file systems of this machine that are mounted read-only.</summary>
public sealed class ReadOnlyMediaTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task A_store_behind_a_mount_that_is_read_only_is_read_and_its_writer_at_the_other_mount_followed()
    {
        var path = Path.Combine(folder, "there", "store");
        await using var writer = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        await writer.AppendAsync(Many(3, "t", "k:1"));
        using var mount = new RealMount("none", "bind,ro", Path.Combine(folder, "there"), Path.Combine(folder, "here"));
        var here = Path.Combine(mount.Point, "store");

        var error =
            await Assert.ThrowsAsync<StoreOpenException>(async () => await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = here }));
        Assert.Contains("To only read, open it for reading only.", error.Message, StringComparison.Ordinal);
        await using var reader = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = here, ReadOnly = true });
        Assert.Equal([1, 2, 3], await reader.PositionsAsync(Tagged("k:1")));
        await writer.AppendAsync([New("t", "k:1"), New("u")]);
        Assert.Equal([1, 2, 3, 4], await reader.PositionsAsync(Tagged("k:1")));
        Assert.Equal(5, await reader.GetHeadAsync(TestContext.Current.CancellationToken));
        Assert.False(IsReadOnly(here));
    }

    [Fact]
    public async Task On_a_file_system_that_is_read_only_also_the_last_append_is_shown_that_no_index_names()
    {
        var image = Path.Combine(folder, "image");
        await using (var file = File.Create(image))
            file.SetLength(16 * 1024 * 1024);
        Assert.SkipUnless(RealMount.Run("mkfs.ext4", "-q", "-F", image), "mkfs.ext4 is not here");
        var layout = new StoreLayout(Path.Combine(folder, "mounted", "store"));
        using (new RealMount("ext4", "loop", image, Path.Combine(folder, "mounted")))
        {
            await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = layout.Root }))
            {
                await store.AppendAsync(Many(3, "t", "k:1"));
                await store.AppendAsync([New("last", "k:1")]);
            }
            await using (var index = File.OpenWrite(layout.IndexFile))
                index.SetLength(index.Length - 1);
            await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = layout.Root, ReadOnly = true }))
                Assert.Equal([1, 2, 3, 4], await store.PositionsAsync());
            Assert.True(RealMount.Run("umount", Path.Combine(folder, "mounted")));
        }
        using var mount = new RealMount("ext4", "loop,ro", image, Path.Combine(folder, "mounted"));

        Assert.True(IsReadOnly(layout.Root));
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = layout.Root, ReadOnly = true }))
            Assert.Equal([1, 2, 3, 4], await store.PositionsAsync(Tagged("k:1")));
        Assert.Equal(FindingKind.IndexMismatch,
            Assert.Single((await StoreCheck.RunAsync(layout.Root, cancellationToken: TestContext.Current.CancellationToken)).Findings).Kind);
    }

    [Fact]
    public async Task A_store_whose_files_this_user_may_only_read_is_read()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows() || Environment.IsPrivilegedProcess, "root may write anywhere");
        var path = Path.Combine(folder, "store");
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }))
            await store.AppendAsync(Many(3, "t", "k:1"));
        foreach (var entry in Directory.EnumerateFileSystemEntries(path, "*", SearchOption.AllDirectories).Append(path))
            SetMode(entry, UnixFileMode.UserRead | (Directory.Exists(entry) ? UnixFileMode.UserExecute : 0));

        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, ReadOnly = true }))
            Assert.Equal([1, 2, 3], await store.PositionsAsync(Tagged("k:1")));
        await Assert.ThrowsAsync<StoreOpenException>(async () => await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }));
        Assert.Equal("3 events, without the lock, nothing wrong",
            (await StoreCheck.RunAsync(path, cancellationToken: TestContext.Current.CancellationToken)).ToString());

        foreach (var entry in Directory.EnumerateDirectories(path, "*", SearchOption.AllDirectories).Append(path))
            SetMode(entry, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
    }

    private static void SetMode(string path, UnixFileMode mode)
    {
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, mode);
    }

    private static bool IsReadOnly(string path)
    {
        using var files = RealFileSystem.Create();
        return files.GetVolume(path, forReading: true).IsReadOnly;
    }
}
