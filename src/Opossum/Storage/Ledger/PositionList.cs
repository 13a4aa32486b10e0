using System.Globalization;

namespace Opossum.Storage.Ledger;

/// <summary>Formats lists of positions for messages.</summary>
internal static class PositionList
{
    private const int NamedMax = 20;

    /// <summary>Positions as text, such as "position 7" or "positions 1, 2, 5 to 9"; only the first ones if there are many.</summary>
    /// <param name="positions">The positions, ascending.</param>
    public static string InWords(IReadOnlyList<long> positions)
    {
        var named = new List<string>();
        var at = 0;
        while (at < positions.Count && named.Count < NamedMax)
        {
            var end = EndOfNeighbours(positions, at);
            if (end - at < 3)
                end = at + 1;
            named.Add(end == at + 1 ? Text(positions[at]) : $"{Text(positions[at])} to {Text(positions[end - 1])}");
            at = end;
        }
        return $"{(positions.Count == 1 ? "position" : "positions")} {string.Join(", ", named)}{(at < positions.Count ? ", ..." : "")}";
    }

    // After the last position that follows the one before it without a gap.
    private static int EndOfNeighbours(IReadOnlyList<long> positions, int start)
    {
        var end = start + 1;
        while (end < positions.Count && positions[end] == positions[end - 1] + 1)
            end++;
        return end;
    }

    private static string Text(long position) => position.ToString(CultureInfo.InvariantCulture);
}
