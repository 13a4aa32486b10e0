using System.Buffers;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>
/// An open sealed file. Its lines are found by the closing line; if that does not fit, by reading the file once. Every line is judged by itself.
/// </summary>
internal sealed class SealedFile(IFile file, long first, long last, SealedClosing? closing) : IDisposable
{
    private const int BufferLength = 1024 * 1024;

    private readonly Lock gate = new();
    private Dictionary<long, (long Offset, int Length)>? lines;
    private int uses = 1;

    /// <summary>What the closing line states; null when it is missing or does not fit the file.</summary>
    public SealedClosing? Closing => closing;

    /// <summary>Opens the sealed file of a folder; null when there is none.</summary>
    public static SealedFile? Open(StoreFolder folder, long shard)
    {
        var file = folder.FileSystem.Open(folder.Layout.SealedFile(shard), FileOpening.Read);
        return file is null ? null : Of(file, folder.Layout, shard);
    }

    /// <summary>Uses an open file, which it owns then.</summary>
    public static SealedFile Of(IFile file, StoreLayout layout, long shard)
    {
        var (first, last) = (StoreLayout.FirstOf(shard), layout.LastOf(shard));
        try
        {
            var length = file.GetLength();
            var end = new byte[(int)Math.Min(length, SealedFileText.ClosingLengthMax)];
            var read = end.AsSpan(0, file.Read(end, length - end.Length));
            var start = read is [.., EventLines.LineEnd] ? read[..^1].LastIndexOf(EventLines.LineEnd) + 1 : read.Length;
            var closing = SealedFileText.ReadClosing(read[start..]);
            var fits = closing is not null && closing.First == first && closing.Last == last && closing.Bytes == length - (read.Length - start);
            return new SealedFile(file, first, last, fits ? closing : null);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Reads a sealed file that was just written under a staging name.</summary>
    /// <param name="isAsWritten">Whether its lines, whose closing line fits, are those that were written.</param>
    /// <exception cref="FileSystemException">It is not the file that was written.</exception>
    public static void ReadBack(StoreFolder folder, string staging, long shard, Predicate<SealedFile> isAsWritten)
    {
        using var written = Of(folder.FileSystem.Open(staging, FileOpening.Read)
            ?? throw new FileSystemException(FileError.NotFound, "read back", staging, "it was removed"), folder.Layout, shard);
        if (!written.IsIntact() || !isAsWritten(written))
        {
            throw new FileSystemException(FileError.Other, "verify", staging,
                "it does not hold the bytes that were written to it; check the disk or the share");
        }
    }

    /// <summary>Whether the file is no longer found by its name.</summary>
    public bool IsUnlinked => file.IsUnlinked();

    /// <summary>The positions that have a line, ascending.</summary>
    public IReadOnlyList<long> Positions()
    {
        if (closing is null)
            return [.. Lines().Keys.Order()];
        var positions = new long[closing.Last - closing.First + 1];
        for (var at = 0; at < positions.Length; at++)
            positions[at] = closing.First + at;
        return positions;
    }

    /// <summary>The line of a position without its line feed; null when there is none.</summary>
    public byte[]? FindLine(long position)
    {
        if (closing is not null && FindInBlock(position) is { } found)
            return found;
        // Without a closing line that fits, or one whose places are wrong.
        if (!Lines().TryGetValue(position, out var place))
            return null;
        var line = new byte[place.Length];
        return file.Read(line, place.Offset) == line.Length ? line : null;
    }

    /// <summary>Whether the closing line fits and its checksum is that of the whole file.</summary>
    /// <param name="copy">Receives each piece of the file and its offset; null: nobody does.</param>
    public bool IsIntact(Action<ReadOnlySpan<byte>, long>? copy = null)
    {
        if (closing is null)
            return false;
        var (crc, left) = (Crc32C.Begin, closing.Bytes + closing.Covered);
        var buffer = ArrayPool<byte>.Shared.Rent(BufferLength);
        try
        {
            for (var at = 0L; (left > 0 || copy is not null) && file.Read(buffer, at) is > 0 and var got; at += got)
            {
                var covered = Math.Min(left, got);
                crc = Crc32C.Add(crc, buffer.AsSpan(0, covered));
                left -= covered;
                copy?.Invoke(buffer.AsSpan(0, got), at);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
        return left == 0 && Crc32C.End(crc) == closing.Checksum;
    }

    /// <summary>Whether its lines are valid events with these checksums, for a file whose closing line fits.</summary>
    public bool HasLines(ReadOnlySpan<uint> checksums)
    {
        byte[] buffer = [];
        var at = 0;
        for (var block = 0; block < closing!.Starts.Length; block++)
        {
            var length = EndOf(block) - StartOf(block);
            if (buffer.Length < length)
                buffer = new byte[length];
            var text = buffer.AsSpan(0, file.Read(buffer.AsSpan(0, length), StartOf(block)));
            for (; text.IndexOf(EventLines.LineEnd) is var end and >= 0; text = text[(end + 1)..])
            {
                var line = text[..end];
                if (at == checksums.Length || SealedFileText.PositionOf(line) != closing.First + at || ChecksumTrailer.Judge(line) is not null
                    || ChecksumTrailer.Stated(line) != checksums[at++])
                {
                    return false;
                }
            }
        }
        return at == checksums.Length;
    }

    /// <summary>Notes one more user, who disposes it too; false when the last one has ended.</summary>
    public bool TryUse()
    {
        lock (gate)
        {
            if (uses == 0)
                return false;
            uses++;
            return true;
        }
    }

    /// <summary>Ends a use; the last one closes the file.</summary>
    public void Dispose()
    {
        lock (gate)
        {
            if (--uses == 0)
                file.Dispose();
        }
    }

    private int StartOf(int block) => closing!.Starts[block];

    private int EndOf(int block) => block + 1 < closing!.Starts.Length ? closing.Starts[block + 1] : closing.Bytes;

    private byte[]? FindInBlock(long position)
    {
        if (position < closing!.First || position > closing.Last)
            return null;
        var block = (int)(position - closing.First) / closing.Every;
        var rented = ArrayPool<byte>.Shared.Rent(EndOf(block) - StartOf(block));
        try
        {
            var text = rented.AsSpan(0, file.Read(rented.AsSpan(0, EndOf(block) - StartOf(block)), StartOf(block)));
            for (var each = closing.First + (long)block * closing.Every; text.Length > 0; each++)
            {
                var length = text.IndexOf(EventLines.LineEnd);
                if (length < 0)
                    return null;
                if (each == position)
                    return SealedFileText.PositionOf(text[..length]) == position ? text[..length].ToArray() : null;
                text = text[(length + 1)..];
            }
            return null;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    // A line that does not say its position is the one after the line before it, unless another line says so.
    private Dictionary<long, (long Offset, int Length)> Lines()
    {
        if (Volatile.Read(ref lines) is { } known)
            return known;
        var (found, guessed) = (new Dictionary<long, (long, int)>(), new Dictionary<long, (long, int)>());
        var before = first - 1;
        foreach (var (offset, length, position) in ReadLines())
        {
            var isOurs = position >= first && position <= last;
            if (isOurs)
                found.TryAdd(position, (offset, length));
            else if (before < last)
                guessed.TryAdd(before + 1, (offset, length));
            before = isOurs ? position : before + 1;
        }
        foreach (var (position, place) in guessed)
            found.TryAdd(position, place);
        Volatile.Write(ref lines, found);
        return found;
    }

    private IEnumerable<(long Offset, int Length, long Position)> ReadLines()
    {
        var reader = new LineReader(file.Read, BufferLength);
        while (reader.TryRead(out var line))
        {
            if (!SealedFileText.IsClosing(line) && !CanonicalText.IsBlank(line))
                yield return (reader.Offset, line.Length, SealedFileText.PositionOf(line));
        }
    }
}
