namespace Opossum.Tests.Architecture;

/// <summary>What a file uses is found where it is looked for: System first, then by name; static ones and other names of a type after.</summary>
public sealed class UsingOrderTests
{
    [Fact]
    public void Usings_are_in_order()
    {
        List<string> unordered =
        [
            .. from file in SourceTree.CSharpFiles
               let usings = UsingsOf(file)
               where !usings.SequenceEqual(usings.OrderBy(Rank).ThenBy(static each => each, StringComparer.OrdinalIgnoreCase))
               select Path.GetRelativePath(SourceTree.Root, file),
        ];

        Assert.True(unordered.Count == 0, $"{unordered.Count} files have usings in another order:\n{string.Join('\n', unordered)}");
    }

    // Without the word and the semicolon.
    private static List<string> UsingsOf(string file) =>
        [.. File.ReadLines(file)
            .TakeWhile(static line => !line.StartsWith("namespace ", StringComparison.Ordinal))
            .Where(static line => line.StartsWith("using ", StringComparison.Ordinal) && !line.Contains('('))
            .Select(static line => line["using ".Length..].TrimEnd(';'))];

    private static int Rank(string name) =>
        name.Contains(" = ", StringComparison.Ordinal) ? 4
        : name.StartsWith("static System", StringComparison.Ordinal) ? 2
        : name.StartsWith("static ", StringComparison.Ordinal) ? 3
        : name == "System" || name.StartsWith("System.", StringComparison.Ordinal) ? 0 : 1;
}
