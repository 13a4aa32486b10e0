using System.Globalization;

namespace Opossum.Cli.Terminals;

/// <summary>Shows progress as lines, for logs: one every few seconds, with rate and time left.</summary>
internal sealed class ProgressLines(Terminal terminal) : IProgress<Step>
{
    private static readonly TimeSpan interval = TimeSpan.FromSeconds(5);

    private readonly Lock gate = new();
    private readonly long began = terminal.TimeProvider.GetTimestamp();
    private long writtenAt = terminal.TimeProvider.GetTimestamp();

    public void Report(Step value)
    {
        lock (gate)
        {
            if (terminal.TimeProvider.GetElapsedTime(writtenAt) < interval)
                return;
            writtenAt = terminal.TimeProvider.GetTimestamp();
            terminal.Error.WriteLine(LineOf(value, terminal.TimeProvider.GetElapsedTime(began)));
        }
    }

    private static string LineOf(Step step, TimeSpan elapsed)
    {
        var rate = step.Done / elapsed.TotalSeconds;
        var line = $"{step.Label}: {Text.Of(step.Done)} of {Text.Of(step.Total)} {step.Unit}, {Text.Of((long)rate)}/s";
        if (rate <= 0 || step.Done >= step.Total)
            return line;
        var left = TimeSpan.FromSeconds(Math.Min((step.Total - step.Done) / rate, TimeSpan.FromDays(99).TotalSeconds));
        return string.Create(CultureInfo.InvariantCulture, $"{line}, {(int)left.TotalHours}:{left:mm\\:ss} left");
    }
}
