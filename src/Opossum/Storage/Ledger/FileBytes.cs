using System.Buffers;
using Opossum.FileSystem;

namespace Opossum.Storage.Ledger;

/// <summary>Reads whole event files into memory. Long files are read one at a time, however many threads read.</summary>
internal sealed class FileBytes
{
    /// <summary>The longest event file; a longer file is not one.</summary>
    public const int LengthMax = 1 << 30;

    // Most event files are shorter and are read by one call.
    private const int LengthAtFirst = 4096;

    private const int AtOnceMax = 4 * 1024 * 1024;

    // A file that ends with this many zeros was not written to its end.
    private const int EndLength = 64;

    private readonly Lock longFile = new();

    /// <summary>Reads the bytes of a file; null when it cannot be an event file.</summary>
    /// <param name="problem">Why it cannot be one, as the end of a sentence that begins with its path.</param>
    public byte[]? Read(IFile file, out string? problem)
    {
        problem = null;
        var rented = ArrayPool<byte>.Shared.Rent(LengthAtFirst);
        try
        {
            var length = file.Read(rented, 0);
            if (length < rented.Length)
                return rented.AsSpan(0, length).ToArray();
            // On a share the length may be stale, so it serves only to choose the size of the first read.
            var likely = file.GetLength();
            if (likely <= AtOnceMax)
                return ReadOn(file, ref rented, length, likely, out problem);
            lock (longFile)
                return likely <= LengthMax && EndsWithZeros(file, likely, out problem) ? null : ReadOn(file, ref rented, length, likely, out problem);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    /// <summary>Reads the bytes of a file as the server has them; null when it cannot be an event file.</summary>
    public static byte[]? Read(IUncachedFile file)
    {
        var rented = ArrayPool<byte>.Shared.Rent(LengthAtFirst);
        try
        {
            var length = 0;
            while (file.Read(rented.AsSpan(length), length) is var read and > 0)
            {
                length += read;
                if (length < rented.Length)
                    break;
                if (length > LengthMax)
                    return null;
                RentedBytes.Grow(ref rented, (int)Math.Min(2L * length, LengthMax + 1L));
            }
            return rented.AsSpan(0, length).ToArray();
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    // A sparse file can have any length and take no space on disk.
    private static bool EndsWithZeros(IFile file, long likely, out string? problem)
    {
        Span<byte> end = stackalloc byte[EndLength + 1];
        var length = file.Read(end, likely - EndLength);
        problem = length == EndLength && !end[..length].ContainsAnyExcept((byte)0)
            ? "is long and ends with zeros: it is cut off or overwritten"
            : null;
        return problem is not null;
    }

    private static byte[]? ReadOn(IFile file, ref byte[] rented, int length, long likely, out string? problem)
    {
        problem = null;
        while (length == rented.Length)
        {
            if (length > LengthMax || likely > LengthMax)
            {
                problem = "is longer than any event file";
                return null;
            }
            RentedBytes.Grow(ref rented, (int)Math.Min(Math.Max(rented.Length * 2L, likely + 1), LengthMax + 1L));
            length += file.Read(rented.AsSpan(length), length);
        }
        return rented.AsSpan(0, length).ToArray();
    }
}
