using Opossum.FileSystem;

namespace Opossum.Tests.FileSystem;

public sealed class RealPortableFileSystemTests : RealFileSystemSuite
{
    private protected override IFileSystem FileSystem { get; } = new PortableFileSystem();

    [Fact]
    public void Windows_errors_are_told_apart()
    {
        Assert.Equal(FileError.DiskFull, PortableError.ClassifyWindows(112));
        Assert.Equal(FileError.DiskFull, PortableError.Classify(new IOException("full", unchecked((int)0x80070070)), "a"));
        Assert.Equal(FileError.ReadOnly, PortableError.Classify(new IOException("write protected", unchecked((int)0x80070013)), "a"));
        Assert.Equal(FileError.Other, PortableError.Classify(new IOException("sharing violation", unchecked((int)0x80070020)), "a"));
        Assert.True(PortableError.IsTaken(new IOException("exists", unchecked((int)0x80070050))));
        Assert.True(PortableError.IsTaken(new IOException("exists", unchecked((int)0x800700B7))));
    }
}
