using Opossum.FileSystem.Windows;

namespace Opossum.Tests.FileSystem;

/// <summary>What Windows' error numbers, paths and reparse tags mean, where no Windows is needed to say it.</summary>
public sealed class WindowsRulesTests
{
    [Theory]
    [InlineData(2, "NotFound")]
    [InlineData(3, "NotFound")]
    [InlineData(5, "AccessDenied")]
    [InlineData(19, "ReadOnly")]
    [InlineData(32, "InUse")]
    [InlineData(33, "InUse")]
    [InlineData(145, "InUse")]
    [InlineData(1224, "InUse")]
    [InlineData(39, "DiskFull")]
    [InlineData(112, "DiskFull")]
    [InlineData(1295, "DiskFull")]
    [InlineData(59, "HandleLost")]
    [InlineData(64, "HandleLost")]
    [InlineData(6, "HandleLost")]
    [InlineData(53, "HandleLost")]
    [InlineData(55, "HandleLost")]
    [InlineData(67, "HandleLost")]
    [InlineData(121, "NotAnswering")]
    [InlineData(240, "HandleLost")]
    [InlineData(1006, "HandleLost")]
    [InlineData(1167, "HandleLost")]
    [InlineData(1231, "HandleLost")]
    [InlineData(1236, "HandleLost")]
    [InlineData(31, "Other")]
    public void Errors_are_told_apart(int number, string error) => Assert.Equal(error, WindowsError.Classify(number).ToString());

    [Theory]
    [InlineData(@"\\server\share", true)]
    [InlineData(@"\\server\share\folder", true)]
    [InlineData(@"\\?\UNC\server\share", true)]
    [InlineData(@"\\?\unc\server\share", true)]
    [InlineData(@"\\?\C:\folder", false)]
    [InlineData(@"\\.\C:\folder", false)]
    [InlineData(@"C:\folder", false)]
    public void A_share_is_known_by_its_path(string path, bool isShare) => Assert.Equal(isShare, WindowsPath.IsShare(path));

    [Theory]
    [InlineData(@"\\?\C:\folder", @"C:\")]
    [InlineData(@"C:\folder", @"C:\")]
    [InlineData(@"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\folder", null)]
    [InlineData(@"\\server\share", null)]
    public void The_drive_of_a_path_is_found(string path, string? root) => Assert.Equal(root, WindowsPath.DriveOf(path));

    [Theory]
    [InlineData(0xA000000C, true)] // IO_REPARSE_TAG_SYMLINK
    [InlineData(0xA0000003, true)] // IO_REPARSE_TAG_MOUNT_POINT: junctions and mounted volumes
    [InlineData(0xA000001D, true)] // IO_REPARSE_TAG_LX_SYMLINK
    [InlineData(0x9000001A, false)] // IO_REPARSE_TAG_CLOUD: OneDrive
    [InlineData(0x80000013, false)] // IO_REPARSE_TAG_DEDUP
    [InlineData(0x80000017, false)] // IO_REPARSE_TAG_WOF: compressed by the system
    public void Links_are_told_from_files_that_a_filter_keeps_elsewhere(uint tag, bool isLink) => Assert.Equal(isLink, WindowsLink.IsLink(tag));
}
