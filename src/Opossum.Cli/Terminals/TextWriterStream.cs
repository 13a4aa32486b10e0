using System.Text;

namespace Opossum.Cli.Terminals;

/// <summary>Writes bytes of UTF-8 text to a text writer.</summary>
internal sealed class TextWriterStream(TextWriter writer) : Stream
{
    private readonly Decoder decoder = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false).GetDecoder();
    private char[] chars = [];

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override void Flush() => writer.Flush();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (chars.Length < buffer.Length + 1)
            chars = new char[buffer.Length + 1];
        writer.Write(chars.AsSpan(0, decoder.GetChars(buffer, chars, flush: false)));
    }
}
