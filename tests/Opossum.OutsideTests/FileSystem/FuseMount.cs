using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace Opossum.Tests.FileSystem;

/// <summary>
/// A mount that this process serves itself, by the protocol of /dev/fuse (fuse(4), linux/fuse.h): a folder with one file in it, whose bytes
/// change without the kernel's hearing of it, as when another machine writes them. The test is skipped where that cannot be done.
/// </summary>
internal sealed class FuseMount : IDisposable
{
    public const string FileName = "file";

    private const int HeaderLength = 40;
    private const int RequestLengthMax = 256 * 1024;
    private const ulong RootNode = 1;
    private const ulong FileNode = 2;
    private const uint PosixLocks = 1 << 1;

    private readonly int device;
    private readonly Thread thread;
    private readonly ConcurrentDictionary<FuseRequest, (int Times, int Error)> failures = new();
    private volatile bool ends;

    /// <param name="point">Where; it is created.</param>
    /// <param name="takesLocks">Whether the kernel hands locks on; if not, it keeps them itself.</param>
    public FuseMount(string point, bool takesLocks = true)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "mounting needs Linux and root");
        Point = Directory.CreateDirectory(point).FullName;
        Path = System.IO.Path.Combine(Point, FileName);
        device = Open("/dev/fuse", 2 | 0x80000, 0);
        Assert.SkipUnless(device >= 0
            && Mount("tiny", Point, "fuse.tiny", 0, $"fd={device},rootmode=40000,user_id=0,group_id=0") == 0,
            "FUSE is not here, or mounting is not allowed");
        thread = new Thread(() => Serve(takesLocks)) { IsBackground = true };
        thread.Start();
    }

    public string Point { get; }

    /// <summary>The file's path.</summary>
    public string Path { get; }

    /// <summary>What the file holds.</summary>
    public byte[] Bytes { get; set; } = "first"u8.ToArray();

    /// <summary>The flags of each write, as the kernel was told them at the opening.</summary>
    public ConcurrentQueue<uint> WriteFlags { get; } = new();

    /// <summary>Answers the next requests of a kind with an error.</summary>
    public void Fail(FuseRequest request, int times, int error) => failures[request] = (times, error);

    /// <summary>Ends to serve it; it stays mounted.</summary>
    public void End()
    {
        if (ends)
            return;
        ends = true;
        thread.Join();
        _ = Close(device);
    }

    public void Dispose()
    {
        End();
        _ = Unmount(Point, 2); // MNT_DETACH
    }

    private void Serve(bool takesLocks)
    {
        var request = new byte[RequestLengthMax];
        while (!ends)
        {
            var waiting = new Waiting { Descriptor = device, Events = 1 };
            if (Poll(ref waiting, 1, 20) <= 0)
                continue;
            var length = (int)Read(device, request, request.Length);
            if (length < HeaderLength)
                return;
            var kind = (FuseRequest)BinaryPrimitives.ReadUInt32LittleEndian(request.AsSpan(4));
            if (kind is FuseRequest.Forget or FuseRequest.BatchForget or FuseRequest.Interrupt)
                continue;
            var (error, reply) = FailureOf(kind) is { } failure ? (failure, []) : Answer(kind, request.AsSpan(0, length), takesLocks);
            var answer = new byte[16 + reply.Length];
            BinaryPrimitives.WriteInt32LittleEndian(answer, answer.Length);
            BinaryPrimitives.WriteInt32LittleEndian(answer.AsSpan(4), -error);
            request.AsSpan(8, 8).CopyTo(answer.AsSpan(8));
            reply.CopyTo(answer, 16);
            _ = Write(device, answer, answer.Length);
        }
    }

    private int? FailureOf(FuseRequest kind)
    {
        if (!failures.TryGetValue(kind, out var failure) || failure.Times == 0)
            return null;
        failures[kind] = (failure.Times - 1, failure.Error);
        return failure.Error;
    }

    private (int Error, byte[] Reply) Answer(FuseRequest kind, ReadOnlySpan<byte> request, bool takesLocks)
    {
        var node = BinaryPrimitives.ReadUInt64LittleEndian(request[16..]);
        var body = request[HeaderLength..];
        switch (kind)
        {
            case FuseRequest.Init:
                return (0, Numbers(64, (0, 7), (4, 31), (8, 65536), (12, takesLocks ? PosixLocks : 0), (20, 65536), (24, 1)));
            case FuseRequest.Lookup:
                return body[..^1].SequenceEqual("file"u8)
                    ? (0, [.. Numbers(40, (0, (uint)FileNode), (16, 60), (24, 60)), .. Attributes(FileNode)])
                    : (2, []);
            case FuseRequest.GetAttributes:
                return (0, [.. Numbers(16, (0, 60)), .. Attributes(node)]);
            case FuseRequest.Open:
                // FOPEN_KEEP_CACHE: what the kernel has read it keeps.
                return (0, Numbers(16, (8, 2)));
            case FuseRequest.OpenFolder:
                return (0, new byte[16]);
            case FuseRequest.ReadFile:
                var start = (int)Math.Min(Bytes.Length, BinaryPrimitives.ReadInt64LittleEndian(body[8..]));
                return (0, Bytes.AsSpan(start, (int)Math.Min(Bytes.Length - start, BinaryPrimitives.ReadUInt32LittleEndian(body[16..]))).ToArray());
            case FuseRequest.WriteFile:
                WriteFlags.Enqueue(BinaryPrimitives.ReadUInt32LittleEndian(body[32..]));
                return (0, Numbers(8, (0, BinaryPrimitives.ReadUInt32LittleEndian(body[16..]))));
            case FuseRequest.GetVolume:
                return (0, new byte[80]);
            case FuseRequest.SetLock or FuseRequest.Flush or FuseRequest.FlushFile or FuseRequest.Release or FuseRequest.ReleaseFolder:
                return (0, []);
            default:
                return (38, []); // ENOSYS
        }
    }

    private byte[] Attributes(ulong node) => node == RootNode
        ? Numbers(88, (0, (uint)RootNode), (60, 0x41ED), (64, 2), (80, 4096))
        : Numbers(88, (0, (uint)FileNode), (8, (uint)Bytes.Length), (60, 0x81B6), (64, 1), (80, 4096));

    private static byte[] Numbers(int length, params (int Place, uint Number)[] numbers)
    {
        var bytes = new byte[length];
        foreach (var (place, number) in numbers)
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(place), number);
        return bytes;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Waiting
    {
        public int Descriptor;
        public short Events;
        public short Happened;
    }

    [DllImport("libc", EntryPoint = "open", CharSet = CharSet.Ansi, BestFitMapping = false, ThrowOnUnmappableChar = true)]
    private static extern int Open(string path, int flags, uint mode);

    [DllImport("libc", EntryPoint = "close")]
    private static extern int Close(int descriptor);

    [DllImport("libc", EntryPoint = "read")]
    private static extern nint Read(int descriptor, byte[] bytes, nint count);

    [DllImport("libc", EntryPoint = "write")]
    private static extern nint Write(int descriptor, byte[] bytes, nint count);

    [DllImport("libc", EntryPoint = "poll")]
    private static extern int Poll(ref Waiting waiting, ulong count, int milliseconds);

    [DllImport("libc", EntryPoint = "mount", CharSet = CharSet.Ansi, BestFitMapping = false, ThrowOnUnmappableChar = true)]
    private static extern int Mount(string source, string target, string type, ulong flags, string options);

    [DllImport("libc", EntryPoint = "umount2", CharSet = CharSet.Ansi, BestFitMapping = false, ThrowOnUnmappableChar = true)]
    private static extern int Unmount(string target, int flags);
}
