using System.Globalization;

namespace Opossum.Personal;

/// <summary>Paths of members, such as <c>contacts[0].phone</c>: each member has its own.</summary>
internal static class MemberPath
{
    private static readonly System.Buffers.SearchValues<char> special = System.Buffers.SearchValues.Create(".[]'");

    /// <summary>A member of the object at a path.</summary>
    public static string Member(string path, string name)
    {
        if (name.Length == 0 || name.AsSpan().ContainsAny(special))
            return $"{path}['{name.Replace("'", "''", StringComparison.Ordinal)}']";
        return path.Length == 0 ? name : $"{path}.{name}";
    }

    /// <summary>An element of the array at a path.</summary>
    public static string Element(string path, int index) => string.Create(CultureInfo.InvariantCulture, $"{path}[{index}]");
}
