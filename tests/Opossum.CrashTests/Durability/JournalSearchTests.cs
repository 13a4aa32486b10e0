using System.Buffers;
using System.Text;
using Opossum.Storage.Ledger;

namespace Opossum.Tests.Durability;

/// <summary>Groups are found wherever they lie, in memory that does not grow with the file.</summary>
public sealed class JournalSearchTests
{
    private static readonly byte[] group = Group();

    [Theory]
    [InlineData("")]
    [InlineData("\n\n\n")]
    [InlineData("something else\n")]
    [InlineData("{\"position\":1,\n")]
    [InlineData("{\"group\":{\"first\":1,\"last\":2}}\n")]
    public void A_group_is_found_after_anything(string before)
    {
        byte[] text = [.. Encoding.UTF8.GetBytes(before), .. group, .. "\n\n"u8, .. group, .. "{\"position\":3"u8];
        var found = Find((buffer, offset) => Read(text, buffer, offset)).ToList();

        Assert.Equal([before.Length, before.Length + group.Length + 2], found.Select(static each => each.Offset));
        Assert.All(found, static each => Assert.Equal(2, JournalSearch.LinesOf(each.Text).Count()));
    }

    [Fact]
    public void A_group_is_found_without_the_line_feed_that_ends_it()
    {
        Assert.Single(Find((buffer, offset) => Read(group.AsSpan(..^1), buffer, offset)));
    }

    // A sparse file has any length, and takes no room on the disk.
    [Theory]
    [InlineData((byte)0)]
    [InlineData((byte)'\n')]
    public void What_fills_a_long_file_takes_no_memory(byte filling)
    {
        const long Length = 2_500_000_000;
        var before = GC.GetAllocatedBytesForCurrentThread();
        var found = Find((buffer, offset) =>
        {
            var count = (int)Math.Min(buffer.Length, Length - offset);
            buffer[..count].Fill(filling);
            if (offset == 0)
                group.CopyTo(buffer);
            return count;
        }).ToList();

        Assert.Single(found);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 8 * 1024 * 1024);
    }

    private static IEnumerable<(long Offset, JournalClosing Closing, byte[] Text)> Find(JournalContent.Read read) =>
        new JournalSearch(read).FindGroups(0);

    private static int Read(ReadOnlySpan<byte> text, Span<byte> buffer, long offset)
    {
        var rest = text[(int)Math.Min(offset, text.Length)..];
        var count = Math.Min(rest.Length, buffer.Length);
        rest[..count].CopyTo(buffer);
        return count;
    }

    private static byte[] Group()
    {
        var buffer = new ArrayBufferWriter<byte>();
        buffer.Write("{\"position\":1,\"type\":\"a\"}\n{\"position\":2,\"type\":\"b\"}\n"u8);
        JournalText.Close(buffer, new JournalClosing(1, 2, buffer.WrittenCount, Guid.NewGuid(), 0));
        return buffer.WrittenSpan.ToArray();
    }
}
