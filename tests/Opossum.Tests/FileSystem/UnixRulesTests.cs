using Opossum.FileSystem.Unix;

namespace Opossum.Tests.FileSystem;

/// <summary>What the error numbers of Linux and macOS mean.</summary>
public sealed class UnixRulesTests
{
    [Theory]
    [InlineData(2, "NotFound")]
    [InlineData(5, "Other")]
    [InlineData(9, "HandleLost")]
    public void Errors_are_told_apart(int number, string error) => Assert.Equal(error, ErrorNumber.Classify(number).ToString());

    [Theory]
    [InlineData(107, "HandleLost")]
    [InlineData(110, "HandleLost")]
    [InlineData(112, "HandleLost")]
    [InlineData(116, "HandleLost")]
    public void Errors_of_Linux_are_told_apart(int number, string error)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The numbers are those of Linux.");
        Assert.Equal(error, ErrorNumber.Classify(number).ToString());
    }
}
