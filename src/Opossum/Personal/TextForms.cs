using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>How a text can stand in a file.</summary>
internal static class TextForms
{
    /// <summary>The different forms: UTF-8 and UTF-16, as it is and escaped as in JSON.</summary>
    public static List<byte[]> Of(string text)
    {
        var forms = new List<byte[]>();
        foreach (var each in TextsOf(text))
        {
            forms.Add(Encoding.UTF8.GetBytes(each));
            forms.Add(Encoding.Unicode.GetBytes(each));
            forms.Add(Encoding.BigEndianUnicode.GetBytes(each));
        }
        return forms;
    }

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

    /// <summary>As it is, and encoded as in the names of the store's files.</summary>
    public static List<string> NamesOf(string text)
    {
        var name = new StringBuilder();
        foreach (var octet in Encoding.UTF8.GetBytes(text))
        {
            name.Append(octet is (>= (byte)'a' and <= (byte)'z') or (>= (byte)'0' and <= (byte)'9') or (byte)'-' or (byte)'_'
                ? ((char)octet).ToString() : $"%{octet:x2}");
        }
        return name.ToString() == text ? [text] : [text, name.ToString()];
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
