using System.Buffers;
using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>Reads whole event files into memory. Long ones one at a time, however many threads read.</summary>
internal sealed class FileBytes
{
    // An event file is at most this long; what is longer cannot be one.
    private const int LengthMax = 1 << 30;

    // Most event files are shorter, and then read by one call.
    private const int LengthAtFirst = 4096;

    private const int AtOnceMax = 4 * 1024 * 1024;

    private readonly Lock longFile = new();

    /// <summary>The bytes of a file; null when it is longer than any event file.</summary>
    public byte[]? Read(IFile file)
    {
        var rented = ArrayPool<byte>.Shared.Rent(LengthAtFirst);
        try
        {
            var length = file.Read(rented, 0);
            if (length < rented.Length)
                return rented.AsSpan(0, length).ToArray();
            // On a share the length may be stale, so it says how much is likely to be read at once, and nothing else.
            var likely = file.GetLength();
            if (likely <= AtOnceMax)
                return ReadOn(file, ref rented, length, likely);
            lock (longFile)
                return ReadOn(file, ref rented, length, likely);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private static byte[]? ReadOn(IFile file, ref byte[] rented, int length, long likely)
    {
        while (length == rented.Length)
        {
            if (length > LengthMax || likely > LengthMax)
                return null;
            var longer = ArrayPool<byte>.Shared.Rent((int)Math.Min(Math.Max(rented.Length * 2L, likely + 1), LengthMax + 1L));
            rented.CopyTo(longer, 0);
            ArrayPool<byte>.Shared.Return(rented);
            rented = longer;
            length += file.Read(rented.AsSpan(length), length);
        }
        return rented.AsSpan(0, length).ToArray();
    }
}
