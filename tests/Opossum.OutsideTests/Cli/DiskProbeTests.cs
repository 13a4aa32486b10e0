using Opossum.Cli.Disks;

namespace Opossum.CliTests;

public sealed class DiskProbeTests : IDisposable
{
    private readonly Shell shell = new();

    [Fact]
    public async Task A_flush_is_timed_when_asked_for_and_nothing_is_left_in_the_folder()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));
        var before = Directory.GetFileSystemEntries(shell.PathOf("sales"));

        var disk = (await shell.RunAsync("info", shell.PathOf("sales"), "--disk", "--json")).Succeeded().Json.GetProperty("disk");
        var text = (await shell.RunAsync("info", shell.PathOf("sales"), "--disk")).Succeeded().Out;

        Assert.True(disk.GetProperty("flushMicroseconds").GetDouble() > 0);
        Assert.Contains("a flush takes ", Assert.Single(text.Split('\n'), static line => line.StartsWith("disk ", StringComparison.Ordinal)),
            StringComparison.Ordinal);
        Assert.Equal(before, Directory.GetFileSystemEntries(shell.PathOf("sales")));
        Assert.DoesNotContain("a flush takes", (await shell.RunAsync("info", shell.PathOf("sales"))).Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/srv/shop", "rw relatime errors=remount-ro")]
    [InlineData("/srv/my share/shop", "rw nosuid vers=3.1.1 nobrl")]
    [InlineData("/srv/my shares", "rw relatime errors=remount-ro")]
    public void Mount_options_are_those_of_the_mount_that_holds_the_folder(string folder, string options)
    {
        string[] lines =
        [
            "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro",
            @"61 22 0:52 / /srv/my\040share rw,nosuid - cifs //server/shop rw,vers=3.1.1,nobrl",
        ];

        Assert.Equal(options.Split(' '), Mount.OptionsOf(folder, lines));
    }

    [Fact]
    public void Mount_options_are_those_of_the_target_of_a_link()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells the options");
        var (link, around) = (shell.PathOf("link"), shell.PathOf("around"));
        Directory.CreateSymbolicLink(link, "/proc");
        Directory.CreateSymbolicLink(around, link);

        Assert.NotEqual(Mount.OptionsOf("/proc"), Mount.OptionsOf(shell.Folder));
        Assert.Equal(Mount.OptionsOf("/proc"), Mount.OptionsOf(link));
        Assert.Equal(Mount.OptionsOf("/proc/tty"), Mount.OptionsOf(Path.Combine(around, "tty")));
    }

    [Fact]
    public void A_good_disk_needs_no_warning() => Assert.Empty(DiskProbe.Of(Disk("ext4"), 800, ["rw"]).Warnings);

    [Theory]
    [InlineData("power-loss protection", "ext4", 10, "rw")]
    [InlineData("in memory", "tmpfs", 1, "rw")]
    [InlineData("nobarrier", "ext4", 800, "nobarrier")]
    public void What_may_lose_events_is_named(string words, string fileSystem, double flush, string option) =>
        Assert.Contains(words, Assert.Single(DiskProbe.Of(Disk(fileSystem), flush, [option]).Warnings), StringComparison.Ordinal);

    [Fact]
    public void A_folder_that_cannot_be_written_is_told_without_a_measurement()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux has a folder in which nobody can write");

        var probe = DiskProbe.Run(Disk("ext4") with { Path = "/proc" });

        Assert.StartsWith("A flush could not be measured: ", Assert.Single(probe.Warnings), StringComparison.Ordinal);
    }

    public void Dispose() => shell.Dispose();

    private static StoreStatus Disk(string fileSystem) => new()
    {
        Id = Guid.NewGuid(),
        Path = "shop",
        Head = 0,
        EventTypes = [],
        EventTypesTotal = 0,
        TagKeys = [],
        TagKeysTotal = 0,
        IsReadOnly = false,
        FileSystem = fileSystem,
        IsNetwork = false,
        Flush = FlushMethod.LastFile,
    };
}
