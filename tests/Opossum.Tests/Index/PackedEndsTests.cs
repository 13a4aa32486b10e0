using Opossum.Storage;
using Opossum.Storage.Index;

namespace Opossum.Tests.Index;

public sealed class LineEndsTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(700)]
    [InlineData(StoreLayout.LineBytesMax)]
    public void Every_end_is_given_back_whatever_the_copies_lengths(int length)
    {
        var ends = new LineEnds();
        for (var number = 1; number <= 10_000; number++)
            ends.Add(number * (long)length);

        for (var number = 1; number <= 10_000; number++)
            Assert.Equal(number * (long)length, ends[number - 1]);
    }
}
