using System.Globalization;
using System.Text;

namespace Opossum.Proof;

/// <summary>The place of a tile: up to 256 neighbouring hashes of one level of the tree, as C2SP's tlog-tiles defines it.</summary>
/// <param name="Level">The level: the hashes of level 0 are the leaves', those of level 1 the roots of whole tiles of level 0, and so on.</param>
internal readonly record struct Tile(int Level, long Index)
{
    /// <summary>The hashes of a whole tile.</summary>
    public const int Width = 256;

    /// <summary>The levels of the tree that one level of tiles spans.</summary>
    public const int Height = 8;

    public const int InFolder = 1000;

    public const int Bytes = Width * TreeHash.Length;

    /// <summary>The number of leaves up to its end.</summary>
    public long LastLeaf => (Index + 1) << (Height * (Level + 1));

    /// <summary>The names of its folders and of its file below the folder of tiles: <c>0</c>, <c>x001</c>, <c>234</c>.</summary>
    public string[] Path()
    {
        var groups = new Stack<string>();
        groups.Push((Index % InFolder).ToString("D3", CultureInfo.InvariantCulture));
        for (var rest = Index / InFolder; rest > 0; rest /= InFolder)
            groups.Push("x" + (rest % InFolder).ToString("D3", CultureInfo.InvariantCulture));
        return [Level.ToString(CultureInfo.InvariantCulture), .. groups];
    }

    /// <summary>The same for a tile that is not whole: <c>0</c>, <c>x001</c>, <c>234.p</c>, <c>17</c>.</summary>
    public string[] PartialPath(int width)
    {
        var names = Path();
        return [.. names[..^1], names[^1] + ".p", width.ToString(CultureInfo.InvariantCulture)];
    }

    /// <summary>The place as tlog-tiles writes it.</summary>
    public override string ToString()
    {
        var text = new StringBuilder("tile");
        foreach (var name in Path())
            text.Append('/').Append(name);
        return text.ToString();
    }
}
