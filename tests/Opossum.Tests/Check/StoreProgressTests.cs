namespace Opossum.Tests.Check;

public sealed class StoreProgressTests
{
    [Fact]
    public void Progress_of_every_kind_of_work_is_a_line_in_words() =>
        Assert.All(Enum.GetValues<StoreOperation>(), static operation => Assert.Matches("^[A-Z][a-z]+ing( [a-z]+)*: 1 of 2 (events|files)$",
            new StoreProgress { Operation = operation, Done = 1, Total = 2, Projection = "orders" }.ToString()));
}
