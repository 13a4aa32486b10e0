using System.Text;

namespace Opossum.Cli.Terminals;

/// <summary>Writes bytes of UTF-8 text to a text writer.</summary>
internal sealed class TextWriterStream(TextWriter writer) : WritingStream
{
    private readonly Decoder decoder = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false).GetDecoder();
    private char[] chars = [];

    public override void Flush() => writer.Flush();

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (chars.Length < buffer.Length + 1)
            chars = new char[buffer.Length + 1];
        writer.Write(chars.AsSpan(0, decoder.GetChars(buffer, chars, flush: false)));
    }
}
