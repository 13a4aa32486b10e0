using System.Text;

namespace Opossum.Cli.Terminals;

/// <summary>Writes to the standard error, or nothing where that cannot be written: the exit code still says how the command ended.</summary>
internal sealed class ErrorWriter : TextWriter
{
    private readonly TextWriter writer;

    public ErrorWriter(TextWriter writer)
    {
        this.writer = writer;
        NewLine = writer.NewLine;
    }

    public override Encoding Encoding => writer.Encoding;

    public override void Write(char value) => Try(() => writer.Write(value));

    public override void Write(char[] buffer, int index, int count) => Try(() => writer.Write(buffer, index, count));

    public override void Write(string? value) => Try(() => writer.Write(value));

    public override void WriteLine(string? value) => Try(() => writer.WriteLine(value));

    public override void Flush() => Try(writer.Flush);

    private static void Try(Action write)
    {
        try
        {
            write();
        }
        catch (IOException)
        {
            // Nobody reads it, as on a full disk.
        }
    }
}
