using System.Net.Sockets;

namespace Opossum.Tests.FileSystem;

/// <summary>What has a name among files and is none: a pipe without a writer, which blocks whoever opens it, a socket, a device.</summary>
internal static class SpecialFile
{
    /// <summary>The kinds that <see cref="Make"/> knows.</summary>
    public static readonly string[] Kinds = ["pipe", "socket", "device"];

    /// <summary>Makes one; the test is skipped where that cannot be done.</summary>
    public static void Make(string path, string kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no such files in folders");
        switch (kind)
        {
            case "pipe":
                Assert.SkipUnless(RealMount.Run("mkfifo", path), "mkfifo is not here");
                break;
            case "socket":
                // When it is closed, the name it was given goes, but not the one it has then.
                using (var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
                {
                    socket.Bind(new UnixDomainSocketEndPoint(path + "-"));
                    File.Move(path + "-", path);
                }
                break;
            default:
                Assert.SkipUnless(RealMount.Run("mknod", path, "c", "1", "5"), "making devices is not allowed here");
                break;
        }
    }
}
