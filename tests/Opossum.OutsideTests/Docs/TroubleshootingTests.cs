using System.Reflection;
using Opossum.Maintenance;

namespace Opossum.DocTests;

/// <summary>docs/troubleshooting.md has every exception, outcome and finding of the library.</summary>
public sealed class TroubleshootingTests : DocumentCode
{
    private static readonly Assembly library = typeof(IEventStore).Assembly;
    private static readonly string[] lines = File.ReadAllLines(Path.Combine(Repository.Root, "docs", "troubleshooting.md"));

    [Fact]
    public void Every_exception_is_there()
    {
        var exceptions = library.GetExportedTypes().Where(type => type.IsSubclassOf(typeof(EventStoreException))).Select(type => type.Name);

        Assert.Equal("", string.Join(", ", exceptions.Where(IsMissing)));
    }

    [Fact]
    public void Every_outcome_and_finding_is_there() =>
        Assert.Equal("", string.Join(", ", Enum.GetNames<AppendOutcome>().Concat(Enum.GetNames<FindingKind>()).Where(IsMissing)));

    private static bool IsMissing(string name) => !Array.Exists(lines, line => line.Contains($"`{name}`", StringComparison.Ordinal));
}
