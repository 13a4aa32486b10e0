using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>How a text can stand in a file.</summary>
internal static class TextForms
{
    /// <summary>The different forms: UTF-8 and UTF-16, as it is and escaped as in JSON.</summary>
    public static IEnumerable<TextForm> Of(string text) => TextsOf(text).SelectMany(static each => new TextForm[]
    {
        new(each, Encoding.UTF8),
        new(each, Encoding.Unicode),
        new(each, Encoding.BigEndianUnicode),
    });

    /// <summary>The same as texts.</summary>
    public static HashSet<string> TextsOf(string text)
    {
        var texts = new HashSet<string>(StringComparer.Ordinal);
        // One character can be written as two, as a letter and its accent.
        foreach (var written in new[] { text, text.Normalize(NormalizationForm.FormC), text.Normalize(NormalizationForm.FormD) })
        {
            texts.Add(written);
            texts.Add(ReadableJsonEncoder.Instance.Encode(written));
            texts.Add(JavaScriptEncoder.UnsafeRelaxedJsonEscaping.Encode(written));
            texts.Add(JavaScriptEncoder.Default.Encode(written));
            texts.Add(EscapeOthers(written, "x4"));
            texts.Add(EscapeOthers(written, "X4"));
        }
        return texts;
    }

    // As most other writers of JSON do: quotes, backslashes, and what is not ASCII.
    private static string EscapeOthers(string text, string format)
    {
        var escaped = new StringBuilder();
        foreach (var each in text)
        {
            if (each is '"' or '\\')
                escaped.Append('\\').Append(each);
            else if (each is < ' ' or > '~')
                escaped.Append("\\u").Append(((int)each).ToString(format, CultureInfo.InvariantCulture));
            else
                escaped.Append(each);
        }
        return escaped.ToString();
    }
}
