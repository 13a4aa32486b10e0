using System.Buffers.Text;

namespace Opossum.FileSystem.Linux;

/// <summary>
/// The bytes the whole system has yet to write. Cached for a tenth of a second, because the kernel takes a moment to produce its file.
/// </summary>
internal static class LinuxDirtyBytes
{
    private const long FreshMilliseconds = 100;

    private static long bytes;
    private static long sampledAt = Environment.TickCount64 - FreshMilliseconds;

    public static long Get(IFileSystem fileSystem)
    {
        var now = Environment.TickCount64;
        if (now - Volatile.Read(ref sampledAt) < FreshMilliseconds)
            return Volatile.Read(ref bytes);
        Volatile.Write(ref sampledAt, now);
        var sum = Read(fileSystem);
        Volatile.Write(ref bytes, sum);
        return sum;
    }

    // 0: the system does not say, or not to this process.
    private static long Read(IFileSystem fileSystem)
    {
        try
        {
            using var file = fileSystem.Open("/proc/vmstat", FileOpening.Read);
            Span<byte> text = stackalloc byte[16 * 1024];
            return file is null ? 0 : Sum(text[..file.Read(text, 0)]) * Environment.SystemPageSize;
        }
        catch (FileSystemException)
        {
            return 0;
        }
    }

    /// <summary>Sums the pages that are dirty, being written, or (older kernels, NFS) on a server that has not made them durable.</summary>
    public static long Sum(ReadOnlySpan<byte> statistics)
    {
        var pages = 0L;
        foreach (var range in statistics.Split((byte)'\n'))
        {
            var line = statistics[range];
            var space = line.IndexOf((byte)' ');
            if (space < 0)
                continue;
            var name = line[..space];
            if (name.SequenceEqual("nr_dirty"u8) || name.SequenceEqual("nr_writeback"u8) || name.SequenceEqual("nr_unstable"u8))
                pages += Utf8Parser.TryParse(line[(space + 1)..], out long value, out _) ? value : 0;
        }
        return pages;
    }
}
