namespace Opossum.Tests.Architecture;

/// <summary>A line that reaches beyond the edge of a window is not read to its end.</summary>
public sealed class LineLengthTests
{
    private const int LineLengthMax = 150;

    [Fact]
    public void No_line_is_longer_than_150_characters()
    {
        List<string> longer =
        [
            .. from file in SourceTree.CSharpFiles
               let path = Path.GetRelativePath(SourceTree.Root, file)
               from number in LongLines(File.ReadAllLines(file), isInLibrary: path.StartsWith("src", StringComparison.Ordinal))
               select $"{path}:{number}",
        ];

        Assert.True(longer.Count == 0, $"{longer.Count} lines are longer than {LineLengthMax}:\n{string.Join('\n', longer.Order(StringComparer.Ordinal))}");
    }

    // Texts that are data may be longer: a line of JSON, a table in a report. In the library there are none.
    private static IEnumerable<int> LongLines(string[] lines, bool isInLibrary)
    {
        var isRaw = false;
        for (var at = 0; at < lines.Length; at++)
        {
            var line = lines[at];
            var isData = isRaw || line.Contains('"') || line.Contains('{');
            if (line.Length > LineLengthMax && !line.Contains("cref=", StringComparison.Ordinal) && (isInLibrary || !isData))
                yield return at + 1;
            isRaw ^= line.AsSpan().Count("\"\"\"") % 2 == 1;
        }
    }
}
