using System.Globalization;
using Opossum;

namespace OrderDesk;

/// <summary>The number of an attempt, for the console.</summary>
internal static class Attempts
{
    public static string Of(ReactionContext context) =>
        context.Attempt == 1 ? "" : string.Create(CultureInfo.InvariantCulture, $" (attempt {context.Attempt})");
}
