using System.Buffers.Binary;
using System.Text;
using System.Text.RegularExpressions;
using Opossum.Serialization;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Tests.Hostile;

/// <summary>Makes the checksums of a store's file fit its bytes, whatever these are.</summary>
internal static partial class ForgedFile
{
    private const int RunFieldsStart = 28;

    /// <summary>
    /// The bytes with checksums that fit, as far as the kind of file has them and the bytes still have its form.
    /// </summary>
    public static byte[] Of(StoreLayout layout, string path, byte[] bytes)
    {
        if (path == layout.IndexFile)
            return Frames(bytes);
        if (path.EndsWith(StoreLayout.RunFileEnding, StringComparison.Ordinal))
            return Run(bytes);
        return path.EndsWith(StoreLayout.SealedFileEnding, StringComparison.Ordinal) ? Sealed(bytes) : Json(bytes);
    }

    // An event file, a state, a checkpoint and the like.
    private static byte[] Json(byte[] bytes)
    {
        var end = bytes.AsSpan().LastIndexOf(",\n  \"checksum\""u8);
        return end < 0 ? bytes : Forgery.Of(bytes.AsSpan(0, end));
    }

    private static byte[] Frames(byte[] bytes)
    {
        if (bytes.Length < IndexHeader.Length)
            return bytes;
        const int end = IndexHeader.Length - sizeof(uint);
        var chain = Crc32C.Of(bytes.AsSpan(0, end));
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(end), chain);
        for (var at = IndexHeader.Length; bytes.Length - at > IndexFrame.HeaderLength;)
        {
            var left = bytes.Length - at - IndexFrame.HeaderLength;
            var length = (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(at)), left);
            chain = IndexFrame.ChecksumOf(chain, bytes.AsSpan(at + IndexFrame.HeaderLength, length));
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(at + 4), chain);
            at += IndexFrame.HeaderLength + length;
        }
        return bytes;
    }

    private static byte[] Run(byte[] bytes)
    {
        if (bytes.Length < RunPage.Length)
            return bytes;
        Span<byte> covers = stackalloc byte[12];
        // The positions before the first and of the last event, and the checksum of the last frame.
        bytes.AsSpan(RunFieldsStart, 4).CopyTo(covers);
        bytes.AsSpan(RunFieldsStart + 8, 4).CopyTo(covers[4..]);
        bytes.AsSpan(RunFieldsStart + 64, 4).CopyTo(covers[8..]);
        var seed = Crc32C.Add(Crc32C.Begin, covers);
        for (var page = 0; (page + 1) * RunPage.Length <= bytes.Length; page++)
            RunPage.Close(bytes.AsSpan(page * RunPage.Length, RunPage.Length), seed, page);
        return bytes;
    }

    private static byte[] Sealed(byte[] bytes)
    {
        var forged = new List<byte>();
        for (var at = 0; at < bytes.Length;)
        {
            var found = bytes.AsSpan(at).IndexOf(EventLines.LineEnd);
            var length = found >= 0 ? found : bytes.Length - at;
            var line = bytes.AsSpan(at, length);
            at += length + 1;
            var end = line.LastIndexOf(",\"checksum\":"u8);
            if (!SealedFileText.IsClosing(line) || end < 0)
            {
                forged.AddRange([.. Line(line), EventLines.LineEnd]);
                continue;
            }
            // What it states of the bytes before it is right again, so that it counts.
            var stated = BytesMember().Replace(Encoding.Latin1.GetString(line[..end]), $"\"bytes\":{forged.Count},");
            forged.AddRange(Encoding.Latin1.GetBytes(stated));
            forged.AddRange(Encoding.ASCII.GetBytes($",\"checksum\":\"{Crc32C.Of([.. forged]):x8}\"}}\n"));
        }
        return [.. forged];
    }

    // The canonical text of an event.
    public static byte[] Line(ReadOnlySpan<byte> line)
    {
        var end = line.LastIndexOf(",\"checksum\":\"crc32c:"u8);
        return end < 0 ? line.ToArray()
            : [.. line[..end], .. Encoding.ASCII.GetBytes($",\"checksum\":\"crc32c:{Crc32C.Of(line[..end]):x8}\"}}")];
    }

    [GeneratedRegex("\"bytes\":[0-9]+,")]
    private static partial Regex BytesMember();
}
