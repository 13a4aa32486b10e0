using System.Security.Cryptography;
using System.Text;
using Opossum;

namespace GitHistory;

/// <summary>Makes any text a tag's value.</summary>
internal static class TagText
{
    private const int Kept = 1_000;

    /// <summary>The text itself; of one that is too long for a tag the beginning and a hash of the whole, so that it is still found and unlike any other.</summary>
    public static string Of(string text)
    {
        if (text.Length <= Tag.MaxValueLength)
            return text;
        var kept = char.IsHighSurrogate(text[Kept - 1]) ? Kept - 1 : Kept;
        return $"{text[..kept]}… sha256:{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)))}";
    }
}
