namespace Opossum.Tests.Architecture;

/// <summary>The faults of tests/mutants, which are put into the library to see whether a test finds them.</summary>
public sealed class FaultTests
{
    [Fact]
    public void Each_fault_has_one_place_in_the_source()
    {
        var faults = File.ReadAllText(Path.Combine(SourceTree.Root, "tests", "mutants", "faults")).ReplaceLineEndings("\n")
            .Split("\n\n").Select(static block => block.Split('\n').Where(static line => line.Length > 0 && line[0] != '#').ToList())
            .Where(static lines => lines.Count > 0).ToList();

        Assert.InRange(faults.Count, 25, int.MaxValue);
        Assert.All(faults, static lines =>
        {
            var source = File.ReadAllText(Path.Combine(SourceTree.Root, lines[1])).ReplaceLineEndings("\n");
            var text = string.Join('\n', lines.Where(static line => line[0] is '-' or ' ').Select(static line => line[1..]));
            var count = source.AsSpan().Count(text);
            Assert.True(count == 1, $"{lines[0]}\nIts text occurs {count} times in {lines[1]}:\n{text}");
        });
    }
}
