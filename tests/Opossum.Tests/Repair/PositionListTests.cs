using Opossum.Storage.Ledger;

namespace Opossum.Tests.Repair;

public sealed class PositionListTests
{
    [Theory]
    [InlineData("position 7", new long[] { 7 })]
    [InlineData("positions 3, 4", new long[] { 3, 4 })]
    [InlineData("positions 1, 2, 5 to 9, 11", new long[] { 1, 2, 5, 6, 7, 8, 9, 11 })]
    public void Positions_are_named_with_neighbours_as_a_range(string words, long[] positions) =>
        Assert.Equal(words, PositionList.InWords(positions));

    [Fact]
    public void A_whole_folder_is_one_range() =>
        Assert.Equal("positions 10000 to 19999",
            PositionList.InWords([.. Enumerable.Range(10_000, 10_000).Select(static position => (long)position)]));

    [Fact]
    public void Of_many_the_first_are_named() =>
        Assert.Equal("positions 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, ...",
            PositionList.InWords([.. Enumerable.Range(1, 21).Select(static position => 2L * position)]));
}
