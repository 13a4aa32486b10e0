using System.Text;

namespace Opossum.Tests.Serialization;

/// <summary>Random JSON in its compact form, from a seed.</summary>
internal sealed class RandomJson(int seed)
{
    private static readonly string[] characters =
        ["a", "Z", " ", "ä", "ß", "中", "😀", "{", "}", "[", "]", ",", ":", "/", "'", "\\\"", "\\\\", "\\n", "\\t", "\\u0000", "\\u001F", "\\u007F",
            "\\u2028", "\uFFFD", "\u2030"];
    private static readonly string[] scalars =
        ["0", "-0", "1", "12345678901234567890123", "1.50", "-1e+400", "3E-7", "true", "false", "null", "\"\"", "{}", "[]"];
    private static readonly string[] whiteSpaces = ["", "", " ", "\n", "\t", "\r\n", "    "];

    private readonly Random random = new(seed);

    public string Value(int depthMax)
    {
        var kind = random.Next(depthMax == 0 ? 2 : 4);
        var count = random.Next(5);
        return kind switch
        {
            0 => scalars[random.Next(scalars.Length)],
            1 => Text(),
            2 => "[" + string.Join(',', Enumerable.Range(0, count).Select(_ => Value(depthMax - 1))) + "]",
            _ => "{" + string.Join(',', Enumerable.Range(0, count).Select(number => $"{Text()[..^1]}{number}\":{Value(depthMax - 1)}")) + "}",
        };
    }

    /// <summary>The same JSON with random white space wherever it may stand.</summary>
    public string Loosen(string compact)
    {
        var loose = new StringBuilder();
        var inString = false;
        for (var at = 0; at < compact.Length; at++)
        {
            var character = compact[at];
            if (inString)
            {
                loose.Append(character);
                if (character == '\\')
                    loose.Append(compact[++at]);
                inString = character != '"';
                continue;
            }
            inString = character == '"';
            if ("{}[],:\"".Contains(character))
                loose.Append(WhiteSpace()).Append(character).Append(inString ? "" : WhiteSpace());
            else
                loose.Append(character);
        }
        return WhiteSpace() + loose + WhiteSpace();
    }

    private string Text() =>
        "\"" + string.Concat(Enumerable.Range(0, random.Next(30)).Select(_ => characters[random.Next(random.Next(2) == 0 ? 3 : characters.Length)]))
            + "\"";

    private string WhiteSpace() => whiteSpaces[random.Next(whiteSpaces.Length)];
}
