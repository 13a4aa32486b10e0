using System.Globalization;

namespace Opossum.Storage;

/// <summary>Lists of positions in messages.</summary>
internal static class PositionList
{
    private const int NamedMax = 20;

    /// <summary>The positions, the first ones if there are many.</summary>
    public static string InWords(IReadOnlyList<long> positions) =>
        string.Join(", ", positions.Take(NamedMax).Select(static position => position.ToString(CultureInfo.InvariantCulture))) + (positions.Count > NamedMax ? ", ..." : "");
}
