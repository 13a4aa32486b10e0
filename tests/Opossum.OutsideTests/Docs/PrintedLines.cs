using System.Threading.Channels;

namespace Opossum.DocTests;

/// <summary>Takes the place of the console in a snippet, so that its test can tell what it prints.</summary>
internal sealed class PrintedLines
{
    private readonly Channel<string> lines = Channel.CreateUnbounded<string>();

    public void WriteLine(object? line) => lines.Writer.TryWrite($"{line}");

    /// <summary>The next line, once it has been printed.</summary>
    public ValueTask<string> NextAsync() => lines.Reader.ReadAsync(TestContext.Current.CancellationToken);

    /// <summary>All that has been printed since the last line that was taken.</summary>
    public List<string> TakeAll()
    {
        var all = new List<string>();
        while (lines.Reader.TryRead(out var line))
            all.Add(line);
        return all;
    }
}
