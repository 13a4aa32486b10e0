using System.Security.Cryptography;
using System.Text;
using Opossum;

namespace GitHistory;

/// <summary>Turns any text into a tag value.</summary>
internal static class TagText
{
    private const int Kept = 1_000;

    /// <summary>
    /// Returns the text; for a text too long for a tag, its beginning and a hash of the whole, so that it can be queried and stays unique.
    /// </summary>
    public static string Of(string text)
    {
        if (text.Length <= Tag.MaxValueLength)
            return text;
        var kept = char.IsHighSurrogate(text[Kept - 1]) ? Kept - 1 : Kept;
        return $"{text[..kept]}… sha256:{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)))}";
    }
}
