using System.Text;

namespace Opossum.Personal;

/// <summary>A text as it can stand in a file.</summary>
internal sealed class TextForm(string text, Encoding encoding)
{
    public string Text => text;

    public Encoding Encoding => encoding;

    public byte[] Bytes { get; } = encoding.GetBytes(text);
}
