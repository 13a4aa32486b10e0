using System.Runtime.InteropServices;
using Opossum.FileSystem.Linux;
using Opossum.FileSystem.Unix;

namespace Opossum.Tests.FileSystem;

/// <summary>What the error numbers of Linux and macOS mean.</summary>
public sealed class UnixRulesTests
{
    [Theory]
    [InlineData(2, "NotFound")]
    [InlineData(5, "Other")]
    [InlineData(9, "HandleLost")]
    [InlineData(16, "InUse")]
    [InlineData(26, "InUse")]
    public void Errors_are_told_apart(int number, string error) => Assert.Equal(error, ErrorNumber.Classify(number).ToString());

    [Theory]
    [InlineData(4, true)]
    [InlineData(16, true)]
    [InlineData(26, true)]
    [InlineData(13, false)]
    public void A_call_is_repeated_where_waiting_helps(int number, bool expected)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "It waits by a call of Linux and macOS.");
        Marshal.SetLastPInvokeError(number);
        Assert.Equal(expected, new StaleRetry().IsDue());
    }

    // SMB, FUSE, ext4 and NFS.
    [Theory]
    [InlineData(0xFE534D42, true)]
    [InlineData(0x65735546, true)]
    [InlineData(0xEF53, false)]
    [InlineData(0x6969, false)]
    public void A_lock_that_is_denied_is_taken_only_where_the_file_system_reports_it_so(uint type, bool expected) =>
        Assert.Equal(expected, LinuxVolume.DeniesTakenLocks(type));

    // A disk that is full now may take files later.
    [Theory]
    [InlineData(1, false)]
    [InlineData(13, false)]
    [InlineData(30, false)]
    [InlineData(24, true)]
    [InlineData(28, true)]
    public void Fast_commits_are_ruled_out_only_where_nothing_can_be_written(int number, bool expected) =>
        Assert.Equal(expected, LinuxVolume.MayCommitFast(number));

    [Theory]
    [InlineData(107, "HandleLost")]
    [InlineData(110, "NotAnswering")]
    [InlineData(112, "NotAnswering")]
    [InlineData(116, "HandleLost")]
    public void Errors_of_Linux_are_told_apart(int number, string error)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The numbers are those of Linux.");
        Assert.Equal(error, ErrorNumber.Classify(number).ToString());
    }
}
