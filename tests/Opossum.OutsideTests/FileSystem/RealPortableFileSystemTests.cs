using Opossum.FileSystem;
using Opossum.FileSystem.Portable;

namespace Opossum.Tests.FileSystem;

public sealed class RealPortableFileSystemTests : RealFileSystemSuite
{
    private readonly PortableFileSystem fileSystem = new();

    private protected override IFileSystem FileSystem
    {
        get
        {
            Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has a file system of its own");
            return fileSystem;
        }
    }
}
