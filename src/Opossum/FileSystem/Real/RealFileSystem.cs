using System.Runtime.InteropServices;
using Opossum.FileSystem.Linux;
using Opossum.FileSystem.Portable;
using Opossum.FileSystem.Windows;

namespace Opossum.FileSystem.Real;

/// <summary>Chooses the file system of the machine the process runs on. Each store has its own instance and disposes it.</summary>
internal static class RealFileSystem
{
    public static IFileSystem Create()
    {
        if (OperatingSystem.IsWindows())
            return new WindowsFileSystem();
        if (!OperatingSystem.IsLinux())
            return new PortableFileSystem();
        if (!LinuxFileSystem.IsSupported)
        {
            throw new PlatformNotSupportedException("On Linux, Opossum runs in 64-bit processes on x64, Arm64, RISC-V and LoongArch; this "
                + $"process is {RuntimeInformation.ProcessArchitecture}.");
        }

        return new LinuxFileSystem();
    }

    /// <summary>Runs work that no open store does, with a file system of its own.</summary>
    public static T Use<T>(Func<IFileSystem, T> work)
    {
        using var fileSystem = Create();
        return work(fileSystem);
    }
}
