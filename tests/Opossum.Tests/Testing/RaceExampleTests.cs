using Opossum.Testing;
using Opossum.TestingTests.Examples;

namespace Opossum.TestingTests;

/// <summary>Copies of the examples at dcb.events, right and with a mistake: each mistake is found, and nothing right is accused.</summary>
public sealed class RaceExampleTests(ITestOutputHelper output)
{
    private static readonly (string Example, RaceCase Case)[] right =
        [.. Named(Courses.Right, Usernames.Right, Invoices.Right, Tokens.Right, Prices.Right, Payments.Right)];

    private static readonly (string Example, RaceCase Case)[] mistakes =
        [.. Named(Courses.Mistakes, Usernames.Mistakes, Invoices.Mistakes, Tokens.Mistakes, Prices.Mistakes, Payments.Mistakes)];

    public static TheoryData<string> RightNames => [.. right.Select(NameOf)];

    public static TheoryData<string> MistakeNames => [.. mistakes.Select(NameOf)];

    [Theory]
    [MemberData(nameof(RightNames))]
    public async Task A_right_decision_is_not_accused(string name)
    {
        var report = await Find(right, name).Build().RunAsync();

        output.WriteLine(report.ToString());
        Assert.True(report.IsExhaustive);
    }

    [Theory]
    [MemberData(nameof(MistakeNames))]
    public async Task A_mistake_is_found(string name)
    {
        var failure = await Assert.ThrowsAsync<TestFailedException>(() => Find(mistakes, name).Build().RunAsync());

        output.WriteLine(failure.Message);
        Assert.DoesNotContain("No decision appended", failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("The store refused", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void There_are_60_right_decisions_and_40_mistakes() => Assert.Equal((60, 40), (RightNames.Count, MistakeNames.Count));

    private static IEnumerable<(string, RaceCase)> Named(params IEnumerable<RaceCase>[] cases)
    {
        string[] examples = ["courses", "usernames", "invoices", "tokens", "prices", "payments"];
        return examples.Zip(cases).SelectMany(each => each.Second.Select(found => (each.First, found)));
    }

    private static string NameOf((string Example, RaceCase Case) row) => $"{row.Example}: {row.Case.Name}";

    private static RaceCase Find((string Example, RaceCase Case)[] rows, string name) => rows.Single(row => NameOf(row) == name).Case;
}
