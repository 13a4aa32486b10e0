using System.Text;

namespace Opossum.Cli.Migration;

/// <summary>Turns CLR names into words in lower case with hyphens.</summary>
internal static class KebabCase
{
    /// <summary><c>CourseDefined</c> becomes <c>course-defined</c>, <c>Shop.HTTPFailed2</c> becomes <c>shop-http-failed2</c>.</summary>
    public static string Of(string name)
    {
        var kebab = new StringBuilder(name.Length + 8);
        for (var at = 0; at < name.Length; at++)
        {
            if (!char.IsLetterOrDigit(name[at]))
            {
                AddHyphen(kebab);
                continue;
            }
            if (char.IsUpper(name[at]) && at > 0
                && (!char.IsUpper(name[at - 1]) || (at + 1 < name.Length && char.IsLower(name[at + 1]))))
            {
                AddHyphen(kebab);
            }
            kebab.Append(char.ToLowerInvariant(name[at]));
        }
        return kebab.ToString().Trim('-');
    }

    private static void AddHyphen(StringBuilder kebab)
    {
        if (kebab.Length > 0 && kebab[^1] != '-')
            kebab.Append('-');
    }
}
