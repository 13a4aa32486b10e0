using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Opossum.Cli.Terminals;

/// <summary>Opens the standard output so that a reader that has ended is noticed.</summary>
/// <remarks>The console's own stream ignores a broken pipe: a command that follows a store would then never end.</remarks>
internal static partial class StandardOutput
{
    private const int WindowsStandardOutput = -11;

    public static Stream Open() => Console.IsOutputRedirected && TryOpenPipe() is { } pipe ? pipe : Console.OpenStandardOutput();

    private static PipeStream? TryOpenPipe()
    {
        try
        {
            var handle = new SafeFileHandle(OperatingSystem.IsWindows() ? GetStdHandle(WindowsStandardOutput) : 1, ownsHandle: false);
            var stream = new FileStream(handle, FileAccess.Write, bufferSize: 0);
            // A file may be shared with the standard error, and then a stream of its own would write at the wrong place.
            return stream.CanSeek ? null : new PipeStream(stream);
        }
        catch (Exception e) when (e is IOException or ArgumentException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    [LibraryImport("kernel32")]
    private static partial nint GetStdHandle(int which);
}
