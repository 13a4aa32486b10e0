using System.Globalization;

namespace Opossum.Storage;

/// <summary>Formats lists of positions for messages.</summary>
internal static class PositionList
{
    private const int NamedMax = 20;

    /// <summary>The positions as text; only the first ones if there are many.</summary>
    public static string InWords(IReadOnlyList<long> positions) =>
        string.Join(", ", positions.Take(NamedMax).Select(static position => position.ToString(CultureInfo.InvariantCulture)))
            + (positions.Count > NamedMax ? ", ..." : "");
}
