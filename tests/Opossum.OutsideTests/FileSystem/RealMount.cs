using System.Diagnostics;

namespace Opossum.Tests.FileSystem;

/// <summary>A file system mounted for one test; the test is skipped where that cannot be done.</summary>
internal sealed class RealMount : IDisposable
{
    public RealMount(string type, string options, string source, string point)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "mounting needs Linux and root");
        Point = Directory.CreateDirectory(point).FullName;
        Assert.SkipUnless(Run("mount", "-t", type, "-o", options, source, Point), "mounting is not allowed here");
    }

    public string Point { get; }

    /// <summary>Whether the program is there and ended well.</summary>
    public static bool Run(string program, params string[] arguments)
    {
        try
        {
            using var process =
                Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true, RedirectStandardOutput = true })!;
            process.StandardError.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return false;
        }
    }

    public void Dispose() => Run("umount", "--lazy", Point);
}
