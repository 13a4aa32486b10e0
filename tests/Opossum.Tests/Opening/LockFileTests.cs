using Opossum.FileSystem;
using Opossum.FileSystem.Linux;
using Opossum.FileSystem.Unix;
using Opossum.Storage;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>Whoever may only read a store cannot keep others from writing.</summary>
public sealed class LockFileTests : IDisposable
{
    private const UnixFileMode Readers = UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead;

    private readonly StorePlace place = StorePlace.InFolder();

    public void Dispose() => place.Dispose();

    [Fact]
    public void The_lock_file_can_be_read_by_nobody_who_may_not_write_it()
    {
        if (OperatingSystem.IsWindows())
            Assert.Skip("Windows has no such rights");
        else
            AssertRights(File.SetUnixFileMode, File.GetUnixFileMode);
    }

    [Fact]
    public unsafe void A_lock_for_reading_is_named_as_what_it_is()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the lock is taken by a call of Linux");
        place.Open();
        place.CloseStores();
        using var files = new LinuxFileSystem();
        using var reader = (LinuxFile)files.Open(place.Layout.LockFile, FileOpening.Read)!;
        var readLock = new LibC.FileLock { Type = LibC.ReadLock, Offset = StoreLayout.LockOffset, Length = 1 };
        Assert.Equal(0, LibC.Control(reader, LibC.SetFileLock, &readLock));

        using var store = place.Open(options => options.LockTimeout = TimeSpan.FromMilliseconds(5));
        var error = Assert.Throws<StoreLockTimeoutException>(() => store.AppendAsync([New("a")]).GetAwaiter().GetResult());
        Assert.Contains("has locked it for reading", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain($"process {Environment.ProcessId}", error.Message, StringComparison.Ordinal);
    }

    [System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
    private void AssertRights(Action<string, UnixFileMode> set, Func<string, UnixFileMode> get)
    {
        place.Open();
        place.CloseStores();
        set(place.Layout.LockFile, Readers | UnixFileMode.UserWrite | UnixFileMode.GroupWrite);
        place.Open();
        place.CloseStores();
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite, get(place.Layout.LockFile));
        set(place.Layout.LockFile, Readers | UnixFileMode.UserWrite);
        place.Open();
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, get(place.Layout.LockFile));
    }
}
